import { expect } from 'chai';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { folderBytes } from '../../kit/folder-bytes.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const RAW = 'raw-secret-0123456789abcdef0123456789abcdef';
const BOOTSTRAP = 'bootstrap-secret-0123456789';

/** Returns every byte in the data folder of the node and in its store. */
const storedBytes = async ({ folder, kernel }: TestNode): Promise<string> => {
  const store = kernel.get(FactStore);
  const tables = await store.tables();
  const rows = await store.read((snapshot) => Promise.all(tables.map((table) => snapshot.select(table, {}))));
  return (await folderBytes(folder)) + JSON.stringify(rows);
};

forEachStore('API keys as secrets', () => {
  let node: TestNode;
  before(async () => {
    node = await startTestNode({
      plugins: ['keys', 'audit'],
      env: { SVC_BOOTSTRAP_KEY: BOOTSTRAP, SVC_BOOTSTRAP_ENTITY_URI: 'agent:root' },
    });
  });
  after(() => node.stop());

  it('never appear in a reply, the log, the audit log or the store', async () => {
    const send = (method: string, target: string, key: string, body?: unknown) =>
      node.request(method, target, { key, ...(body === undefined ? {} : { body }) });
    const registration = { raw_key: RAW, entity_uri: 'agent:w' };
    const replies = [
      await send('POST', '/v1/auth/keys', BOOTSTRAP, registration),
      await send('POST', '/v1/auth/keys', BOOTSTRAP, registration),
      await send('POST', '/v1/auth/keys', BOOTSTRAP, { ...registration, permissions: [] }),
      await send('POST', '/v1/auth/keys', BOOTSTRAP, { ...registration, raw_key: `${RAW}\u0000` }),
      await send('POST', '/v1/auth/keys', BOOTSTRAP, `{"raw_key":"${RAW}"`),
      await send('POST', '/v1/auth/keys', BOOTSTRAP, { entity_uri: 'agent:w', key: RAW }),
      await send('POST', '/v1/auth/keys', RAW, registration),
      await send('GET', '/v1/auth/keys', RAW),
      await send('GET', '/v1/auth/keys/expiring-soon?within_days=365', BOOTSTRAP),
      await send('GET', '/v1/auth/audit', BOOTSTRAP),
      await send('GET', '/v1/audit', RAW),
      await send('GET', '/v1/me', RAW),
      await send('GET', '/v1/me', `${RAW}x`),
    ];
    const statuses = [201, 409, 422, 422, 400, 422, 403, 200, 200, 200, 200, 200, 401];
    expect(replies.map(({ status }) => status)).to.deep.equal(statuses);
    const shown = replies.map(({ text, headers }) => text + JSON.stringify(headers)).join('\n');
    const logged = JSON.stringify(node.logLines);
    const stored = await storedBytes(node);
    for (const secret of [RAW, BOOTSTRAP]) {
      expect(shown).not.to.contain(secret);
      expect(logged).not.to.contain(secret);
      expect(stored.includes(secret), 'in the store').to.equal(false);
      expect(stored.includes(sha256Hex(secret)), 'its digest is').to.equal(true);
      expect(shown).not.to.contain(sha256Hex(secret));
    }
  });

  const FORMS: readonly [string, number, Record<string, string> | readonly (readonly [string, string])[], string?][] = [
    ['the documented form', 200, { Authorization: `Bearer ${BOOTSTRAP}` }],
    ['the scheme in small letters', 200, { Authorization: `bearer ${BOOTSTRAP}` }],
    ['no credential', 401, {}],
    ['an empty credential', 401, { Authorization: 'Bearer ' }],
    ['two spaces', 401, { Authorization: `Bearer  ${BOOTSTRAP}` }],
    ['a tab', 401, { Authorization: `Bearer\t${BOOTSTRAP}` }],
    ['no scheme', 401, { Authorization: BOOTSTRAP }],
    ['another scheme', 401, { Authorization: `Basic ${Buffer.from(`x:${BOOTSTRAP}`).toString('base64')}` }],
    ['a list', 401, { Authorization: `Bearer ${BOOTSTRAP}, Bearer ${BOOTSTRAP}` }],
    ['a list without blanks', 401, { Authorization: `Bearer ${BOOTSTRAP},${BOOTSTRAP}` }],
    [
      'two headers',
      401,
      [
        ['Authorization', `Bearer ${BOOTSTRAP}`],
        ['Authorization', `Bearer ${BOOTSTRAP}`],
      ],
    ],
    ['the query', 401, {}, `?access_token=${BOOTSTRAP}`],
    ['another header', 401, { 'X-API-Key': BOOTSTRAP }],
    ['8 KiB', 401, { Authorization: `Bearer ${'x'.repeat(8_192)}` }],
    ['more than 8 KiB', 401, { Authorization: `Bearer ${'x'.repeat(10_000)}` }],
    ['the digest', 401, { Authorization: `Bearer ${sha256Hex(BOOTSTRAP)}` }],
    ['a peer token', 401, { Authorization: 'Bearer eyJhbGciOiJFZERTQSIsInR5cCI6IkpXVCJ9.e30.AAAA' }],
  ];
  for (const [what, status, headers, query = ''] of FORMS) {
    it(`get the status ${status} when the credential is sent as ${what}`, async () => {
      const reply = await node.request('GET', `/v1/me${query}`, { headers });
      expect(reply.status).to.equal(status);
      if (status === 401) {
        expect(reply.headers['www-authenticate']).to.equal('Bearer');
        expect(reply.body.code).to.equal('authentication');
      }
    });
  }

  it('get equal replies whether they are unknown, revoked or expired', async () => {
    const body = { raw_key: `${RAW}-2`, entity_uri: 'agent:w' };
    const { body: made } = await node.request('POST', '/v1/auth/keys', { key: BOOTSTRAP, body });
    await node.request('DELETE', `/v1/auth/keys/${made.id}`, { key: BOOTSTRAP });
    const short = { raw_key: `${RAW}-3`, entity_uri: 'agent:w', expires_at: '2026-03-02T09:00:01Z' };
    await node.request('POST', '/v1/auth/keys', { key: BOOTSTRAP, body: short });
    await node.clock.advance(1_000);
    const refusals = await Promise.all(
      [`${RAW}-2`, `${RAW}-3`, `${RAW}-4`].map((key) => node.request('GET', '/v1/me', { key })),
    );
    const masked = refusals.map(({ status, body: { request_id: _, ...rest } }) => JSON.stringify({ status, rest }));
    expect(new Set(masked)).to.have.lengthOf(1);
    expect(refusals[0]?.status).to.equal(401);
  });
});
