import { expect } from 'chai';
import { decodeBase64Url, verifyEd25519 } from '../../../kernel/internal-api.ts';
import { definePlugin, httpAdmit } from '../../../kernel/plugin-api.ts';
import { NodeIdentity } from '../../../plugins/node-info/node-info-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { ATLAS, DAY_MS, PATH, startTokenNode, type TokenNode } from './token-node.ts';

forEachStore('issuing a capability token', () => {
  let node: TokenNode;
  before(async () => {
    node = await startTokenNode();
  });
  after(() => node?.stop());

  const ask = (key: string, change: Readonly<Record<string, unknown>> = {}) =>
    node.request('POST', PATH, {
      key,
      body: { issuer: 'agent:ops', subject: 'agent:me', verb: 'subscribe', object: ATLAS, ...change },
    });
  const instant = (aheadMs: number): string => new Date(node.clock.nowMs() + aheadMs).toISOString();

  it('returns the members and the canonical text of the token, signed by the node', async () => {
    const { status, body } = await ask(node.ops);
    expect(status).to.equal(201);
    const { token_json: text, ...members } = body;
    const { token_version: version, signature, ...signed } = JSON.parse(text);
    expect(signed).to.deep.equal(members);
    expect(version).to.equal(1);
    expect(members).to.include({ issuer: 'agent:ops', subject: 'agent:me', verb: 'subscribe', object: ATLAS });
    expect(Date.parse(members.expiry) - Date.parse(members.issued_at)).to.equal(3_600_000);
    expect(members.nonce).to.match(/^[0-9a-f]{64}$/);
    const names = Object.keys(JSON.parse(text));
    expect(names, 'RFC 8785 sorts').to.deep.equal([...names].sort());
    const message = JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(text)).filter(([n]) => n !== 'signature')),
    );
    const { publicKey } = node.kernel.get(NodeIdentity);
    const bytes = [decodeBase64Url(publicKey), decodeBase64Url(signature)] as [Uint8Array, Uint8Array];
    expect(verifyEd25519(bytes[0], Buffer.from(message), bytes[1])).to.equal(true);
  });

  it('accepts an expiry of up to 90 days, in any spelling of the time', async () => {
    const { status, body } = await ask(node.ops, { expiry: instant(90 * DAY_MS) });
    expect([status, body.expiry]).to.deep.equal([201, instant(90 * DAY_MS)]);
    expect((await ask(node.ops, { ttl_seconds: 7_776_000 })).body.expiry).to.equal(instant(90 * DAY_MS));
    const offset = instant(DAY_MS).replace('Z', '+00:00');
    expect((await ask(node.ops, { expiry: offset })).body.expiry).to.equal(instant(DAY_MS));
    expect((await ask(node.ops, { expiry: null, ttl_seconds: 1 })).body.expiry).to.equal(instant(1_000));
  });

  for (const verb of ['read', 'write', 'admin', 'federate', 'subscribe', 'tombstone:read']) {
    it(`accepts the verb ${verb}`, async () => {
      expect((await ask(node.ops, { verb })).body.verb).to.equal(verb);
    });
  }

  const WRONG: readonly [string, Readonly<Record<string, unknown>>][] = [
    ['no subject', { subject: undefined }],
    ['no issuer', { issuer: undefined }],
    ['no verb', { verb: undefined }],
    ['no object', { object: undefined }],
    ['an unknown verb', { verb: 'delete' }],
    ['a verb in capitals', { verb: 'Subscribe' }],
    ['an unknown member', { expires: '2030-01-01T00:00:00Z' }],
    ['an expiry beside a lifetime', { expiry: '2026-03-02T09:30:00Z', ttl_seconds: 5 }],
    ['an expiry that is not a time', { expiry: 'tomorrow' }],
    ['an expiry without offset', { expiry: '2026-03-02T19:30:00' }],
    ['a lifetime of zero', { ttl_seconds: 0 }],
    ['a negative lifetime', { ttl_seconds: -1 }],
    ['a lifetime of more than 90 days', { ttl_seconds: 7_776_001 }],
    ['a lifetime of half a second', { ttl_seconds: 0.5 }],
    ['a lifetime that is a string', { ttl_seconds: '60' }],
    ['an empty object', { object: ' ' }],
    ['a control character in the object', { object: 'a\u0007b' }],
    ['a subject that is too long', { subject: 'a'.repeat(2049) }],
    ['an unknown scope', { object: 'svc://facts/scope:galaxy' }],
  ];
  for (const [what, change] of WRONG) {
    it(`refuses ${what} with 422`, async () => {
      const { status, body } = await ask(node.ops, change);
      expect(status, body.detail).to.equal(422);
      expect(body).not.to.have.property('token_json');
    });
  }

  it('refuses an expiry that is not in the future or a millisecond beyond 90 days', async () => {
    for (const aheadMs of [0, -1, -DAY_MS, 90 * DAY_MS + 1, 91 * DAY_MS]) {
      expect((await ask(node.ops, { expiry: instant(aheadMs) })).status, String(aheadMs)).to.equal(422);
    }
  });

  it('refuses any issuer other than the caller', async () => {
    for (const issuer of ['agent:me', 'agent:OPS', 'system:svc', 'agent:op']) {
      const { status, body } = await ask(node.ops, { issuer });
      expect([status, body.code], issuer).to.deep.equal([403, 'authorization']);
    }
  });

  it('allows a key without admin to issue tokens only to itself', async () => {
    expect((await ask(node.mine, { issuer: 'agent:me' })).status).to.equal(201);
    const { status, body } = await ask(node.mine, { issuer: 'agent:me', subject: 'agent:other' });
    expect([status, body.code]).to.deep.equal([403, 'authorization']);
  });

  it('is limited for an issuer, where revoking makes no room, and tokens that have expired do (I21)', async () => {
    const crowd = await node.addKey({ entityUri: 'agent:crowd' });
    const own = { issuer: 'agent:crowd', subject: 'agent:crowd' };
    const { body: first } = await ask(crowd, own);
    const store = node.kernel.get(FactStore);
    const [row] = await store.table('capability_tokens_issued').where({ token_id: first.token_id }).select('*');
    const expires_ms = node.clock.nowMs() + DAY_MS;
    await store.write('default', (transaction) =>
      transaction.insertRows(
        'capability_tokens_issued',
        Array.from({ length: 999 }, (_, at) => ({ ...row, token_id: `made-up-${at}`, expires_ms })),
      ),
    );
    expect((await node.request('POST', `${PATH}/${first.token_id}/revoke`, { key: crowd })).status).to.equal(200);
    const refused = await ask(crowd, own);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached']);
    expect((await ask(node.mine, { issuer: 'agent:me' })).status).to.equal(201);
    await node.clock.advance(3_600_000);
    expect((await ask(crowd, own)).status).to.equal(201);
    expect((await ask(crowd, own)).status).to.equal(409);
  });

  it('requires write, and rejects a repeated member', async () => {
    const reader = await node.addKey({ entityUri: 'agent:reader', permissions: ['read'] });
    expect((await ask(reader, { issuer: 'agent:reader', subject: 'agent:reader' })).status).to.equal(403);
    const twice = `{"issuer":"agent:ops","subject":"agent:me","verb":"read","verb":"admin","object":"a"}`;
    expect((await node.request('POST', PATH, { key: node.ops, body: twice })).status).to.equal(400);
  });
});

describe('the quota of capability tokens', () => {
  it('is consumed only by issuing a token, in the dimension token_issue', async () => {
    const seen: (string | null)[] = [];
    const watcher = definePlugin({
      name: 'watcher',
      version: '1',
      kernelApi: 1,
      setup({ on }) {
        on(httpAdmit, ({ dimension }) => {
          seen.push(dimension);
          return undefined;
        });
      },
    });
    const node = await startTokenNode({ extra: [watcher] });
    const text = await node.issue();
    await node.request('POST', `${PATH}/verify`, { key: node.ops, body: { token_json: text } });
    await node.request('POST', `${PATH}/${JSON.parse(text).token_id}/revoke`, { key: node.ops });
    await node.request('GET', PATH, { key: node.ops });
    await node.stop();
    expect(seen).to.deep.equal(['token_issue', null, null, null]);
  });
});
