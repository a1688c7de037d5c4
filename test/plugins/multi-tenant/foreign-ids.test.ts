import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type Filled, fillTenant } from './filled-tenant.ts';
import { ADMIN_RIGHTS, startTenantsNode, type TenantsNode } from './tenants-node.ts';

const RIGHTS = [...ADMIN_RIGHTS, 'instruction:write'];
const NO_ID = '6f1f6d5e-0000-4000-8000-00000000dead';

/** Requests with one id and an otherwise valid body. */
const REQUESTS: readonly (readonly [
  kind: keyof Filled,
  method: string,
  path: (id: string) => string,
  body?: unknown,
])[] = [
  ['factId', 'GET', (id) => `/v1/facts/${id}`],
  ['factId', 'GET', (id) => `/v1/facts/${id}/provenance`],
  ['factId', 'POST', (id) => `/v1/facts/${id}/verify-cid`],
  ['factId', 'GET', (id) => `/v1/audit/facts/${id}`],
  ['factId', 'GET', (id) => `/v1/audit?fact_id=${id}`],
  ['cid', 'GET', (id) => `/v1/facts/${id}`],
  ['conflictId', 'POST', (id) => `/v1/conflicts/${id}/resolve`, { new_value: { type: 'string', v: 'settled' } }],
  ['gardenId', 'GET', (id) => `/v1/gardens/${id}`],
  ['gardenId', 'DELETE', (id) => `/v1/gardens/${id}`],
  ['gardenId', 'GET', (id) => `/v1/gardens/${id}/members`],
  ['gardenId', 'POST', (id) => `/v1/gardens/${id}/members`, { entity_uri: 'agent:x', role: 'reader' }],
  ['gardenId', 'GET', (id) => `/v1/facts?garden_id=${id}`],
  ['gardenId', 'GET', (id) => `/v1/quarantine?garden_id=${id}`],
  ['quarantinedId', 'POST', (id) => `/v1/quarantine/${id}/admit`],
  ['quarantinedId', 'POST', (id) => `/v1/quarantine/${id}/reject`],
  ['keyId', 'DELETE', (id) => `/v1/auth/keys/${id}`],
  ['agentKeyId', 'DELETE', (id) => `/v1/auth/agent-keys/${id}`],
  ['tokenId', 'POST', (id) => `/v1/federation/capability-tokens/${id}/revoke`],
  ['subscriptionId', 'GET', (id) => `/v1/subscriptions/${id}`],
  ['subscriptionId', 'DELETE', (id) => `/v1/subscriptions/${id}`],
  ['subscriptionId', 'GET', (id) => `/v1/subscriptions/${id}/events`],
  ['subscriptionId', 'GET', (id) => `/v1/subscriptions/${id}/stream`],
  ['tombstoneId', 'POST', (id) => `/v1/tombstones/${id}/revoke`, { reason: 'a mistake' }],
];

forEachStore('ids of objects of another tenant', () => {
  let node: TenantsNode;
  let theirs: Filled;
  let ours: string;
  let foreign: string;
  before(async () => {
    node = await startTenantsNode();
    ours = await node.addKey({ permissions: RIGHTS, tenantId: 'ours' });
    foreign = await node.addKey({ permissions: RIGHTS, tenantId: 'theirs' });
    theirs = await fillTenant(async (status, method, path, body, headers = {}) => {
      const reply = await node.request(method, path, {
        key: foreign,
        body,
        headers: headers as Record<string, string>,
      });
      expect(reply.status, `${method} ${path}: ${reply.text}`).to.equal(status);
      return reply;
    }, 'lavender');
  });
  after(() => node?.stop());

  for (const [kind, method, path, body] of REQUESTS) {
    it(`get the same answer as unknown ids from ${method} ${path(`<${kind}>`)}`, async () => {
      const ask = async (key: string, id: string) => {
        const headers = { 'X-Request-Id': 'same' };
        const reply = await node.request(method, path(id), { key, headers, ...(body === undefined ? {} : { body }) });
        return `${reply.status} ${reply.text.replaceAll(id, '<id>')}`;
      };
      const unknown = kind === 'cid' ? `sha256:${'0'.repeat(64)}` : theirs[kind].replace(/[0-9a-f]{8}-.*$/, NO_ID);
      const refused = await ask(ours, theirs[kind]);
      expect(refused).to.equal(await ask(ours, unknown));
      if (!/audit|\/v1\/facts\?/.test(path(''))) expect(refused).to.match(/^(404|204)/);
    });
  }

  it('work for their own tenant', async () => {
    const { factId, gardenId, subscriptionId } = theirs;
    for (const path of [`/v1/facts/${factId}`, `/v1/gardens/${gardenId}`, `/v1/subscriptions/${subscriptionId}`]) {
      await node.must(200, 'GET', path, undefined, foreign);
    }
  });

  it('cannot be used by this tenant, nor can tokens and cursors of their tenant', async () => {
    const verified = await node.must(
      200,
      'POST',
      '/v1/federation/capability-tokens/verify',
      { token_json: theirs.tokenJson },
      ours,
    );
    expect(verified.body.valid).to.equal(false);
    await node.must(422, 'POST', '/v1/instruction/audit', { audit_token: theirs.auditToken }, ours);
    const page = await node.must(200, 'GET', '/v1/facts?limit=1', undefined, foreign);
    const stolen = await node.must(400, 'GET', `/v1/facts?limit=1&cursor=${page.body.cursor}`, undefined, ours);
    expect(stolen.body.code).to.equal('invalid_cursor');
    const again = {
      value: { type: 'string', v: 'ours' },
      entity: 'user:ours',
      relation: 'memory:x',
      source: 'agent:s',
    };
    const reply = await node.request('POST', '/v1/facts', {
      key: ours,
      body: again,
      headers: { 'Idempotency-Key': 'once' },
    });
    expect(reply.status).to.equal(201);
    expect(reply.body.entity).to.equal('user:ours');
  });
});
