import { expect } from 'chai';
import { createSigner, encodeBase64Url, type Signer } from '../../../kernel/internal-api.ts';
import { FactStore } from '../../../ports/ports.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

const signerOf = (fill: number): Signer => createSigner(new Uint8Array(32).fill(fill));
const SIGNER = signerOf(7);
const PUBLIC_KEY = encodeBase64Url(SIGNER.publicKey);
const FACT = { entity: 'user:alice', relation: 'memory:role', value: { type: 'string', v: 'CEO' }, source: 'agent:w' };

forEachStore('agent keys', () => {
  let node: TestNode;
  let writer: string;
  let stranger: string;
  before(async () => {
    node = await startTestNode({ plugins: ['attestation', 'keys', 'audit', 'facts'] });
    writer = await node.addKey({ entityUri: 'agent:w', permissions: ['read', 'write', 'audit.read'] });
    stranger = await node.addKey({ entityUri: 'agent:x' });
  });
  after(() => node.stop());

  const register = (body: unknown, key = writer) => node.request('POST', '/v1/auth/agent-keys', { key, body });
  const listed = async (key: string) => (await node.request('GET', '/v1/auth/agent-keys', { key })).body;

  it('are registered by their owner, listed only to the owner, and revoked once', async () => {
    const made = await register({ public_key: PUBLIC_KEY, description: 'laptop' });
    expect(made.status).to.equal(201);
    const { id, ...rest } = made.body;
    expect(rest).to.deep.equal({
      entity_uri: 'agent:w',
      public_key: PUBLIC_KEY,
      description: 'laptop',
      registered_at: '2026-03-02T09:00:00.000Z',
      status: 'active',
    });
    expect(await listed(writer)).to.deep.equal([made.body]);
    expect(await listed(stranger)).to.deep.equal([]);
    const revoke = async (target: string, key: string) =>
      (await node.request('DELETE', `/v1/auth/agent-keys/${target}`, { key })).status;
    expect(await revoke(id, stranger), "another's").to.equal(404);
    expect(await revoke('3b4d2d50-9e0a-4b8e-9d0e-0f6f8b1f6f11', writer), 'unknown').to.equal(404);
    expect(await revoke(id, writer)).to.equal(204);
    expect(await revoke(id, writer), 'again').to.equal(409);
    expect(await listed(writer)).to.deep.equal([{ ...made.body, status: 'revoked' }]);
    const { body } = await node.request('GET', '/v1/auth/audit?event_type=key_rotation', { key: writer });
    expect(body.entries.map(({ detail }: { detail: unknown }) => detail)).to.deep.equal([
      { action: 'agent_key_register', agent_key_id: id },
      { action: 'agent_key_revoke', agent_key_id: id },
    ]);
  });

  it('are limited for an entity, and revoking some does not raise the limit (I21)', async () => {
    const crowd = await node.addKey({ entityUri: 'agent:crowd' });
    const first = await register({ public_key: PUBLIC_KEY }, crowd);
    const store = node.kernel.get(FactStore);
    const [row] = await store.table('keys_agent_keys').where({ id: first.body.id }).select('*');
    await store.write('default', (transaction) =>
      transaction.insertRows(
        'keys_agent_keys',
        Array.from({ length: 999 }, (_, at) => ({ ...row, id: `made-up-${at}` })),
      ),
    );
    const path = `/v1/auth/agent-keys/${first.body.id}`;
    expect((await node.request('DELETE', path, { key: crowd })).status).to.equal(204);
    const refused = await register({ public_key: PUBLIC_KEY }, crowd);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'limit_reached']);
    expect((await register({ public_key: PUBLIC_KEY }, stranger)).status).to.equal(201);
  });

  it('require the permission write, and a public key in base64url', async () => {
    const reader = await node.addKey({ entityUri: 'agent:r', permissions: ['read'] });
    expect((await register({ public_key: PUBLIC_KEY }, reader)).status).to.equal(403);
    const broken = [
      {},
      { public_key: null },
      { public_key: '' },
      { public_key: `${PUBLIC_KEY}=` },
      { public_key: PUBLIC_KEY.slice(1) },
      { public_key: `${PUBLIC_KEY}AA` },
      { public_key: PUBLIC_KEY, description: 'x'.repeat(1025) },
      { public_key: PUBLIC_KEY, private_key: 'x' },
      [],
      'text',
    ];
    for (const body of broken)
      expect((await register(JSON.stringify(body))).status, JSON.stringify(body)).to.equal(422);
  });

  const sign = (fact: typeof FACT | Record<string, unknown>, encoded: string, signer = SIGNER): string => {
    const { entity, relation, value, source } = fact as typeof FACT;
    return encodeBase64Url(signer.sign(Buffer.from([entity, relation, value.type, encoded, source].join('\n'))));
  };
  const assert = (fact: unknown, keyId: string, signature: string, key = writer) =>
    node.request('POST', '/v1/facts', {
      key,
      body: { ...(fact as object), attestation: { key_id: keyId, signature } },
    });

  it('sign facts that their agent asserts; the fact shows the signature as verified', async () => {
    const { id } = (await register({ public_key: PUBLIC_KEY })).body;
    const cases: readonly [unknown, string][] = [
      [{ type: 'string', v: 'CEO' }, 'CEO'],
      [{ type: 'text', v: 'zwei\nZeilen ü' }, 'zwei\nZeilen ü'],
      [{ type: 'number', v: 5 }, '5'],
      [{ type: 'number', v: 5 }, '5.0'],
      [{ type: 'number', v: 0.25 }, '0.25'],
      [{ type: 'boolean', v: true }, 'true'],
      [{ type: 'null' }, 'null'],
      [{ type: 'ref', v: 'user:bob' }, 'user:bob'],
    ];
    for (const [at, [value, encoded]] of cases.entries()) {
      const fact = { ...FACT, relation: `memory:r${at}`, value };
      const reply = await assert(fact, id, sign(fact, encoded));
      expect([reply.status, reply.body.attested_key_id], JSON.stringify(value)).to.deep.equal([201, id]);
    }
    const { body } = await node.request('GET', '/v1/audit?event_type=fact_write', { key: writer });
    expect(body.entries[0]).to.include({
      attested_key_id: id,
      attested_key_entity_uri: 'agent:w',
      attested_key_description: null,
    });
  });

  it('refuse a signature by another key, over other content or for another agent', async () => {
    const { id } = (await register({ public_key: PUBLIC_KEY })).body;
    const fact = { ...FACT, relation: 'memory:refused' };
    const good = sign(fact, 'CEO');
    const attempts: readonly [string, number, string, string, string?][] = [
      ['another value', 422, id, sign(fact, 'CTO')],
      ['another key', 422, id, sign(fact, 'CEO', signerOf(8))],
      ['no signature', 422, id, 'AAAA'],
      ['a padded signature', 422, id, `${good}==`],
      ['an unknown key', 422, '3b4d2d50-9e0a-4b8e-9d0e-0f6f8b1f6f11', good],
      ["another entity's key", 403, id, good, stranger],
    ];
    for (const [what, status, keyId, signature, key] of attempts) {
      const reply = await assert(fact, keyId, signature, key);
      expect(reply.status, what).to.equal(status);
      expect(reply.body.code, what).to.equal(status === 422 ? 'attestation_invalid' : 'authorization');
      expect(reply.text).not.to.contain(signature);
    }
    await node.request('DELETE', `/v1/auth/agent-keys/${id}`, { key: writer });
    expect((await assert(fact, id, good)).status, 'a revoked key').to.equal(422);
    const { body } = await node.request('GET', '/v1/facts?relation=memory:refused', { key: writer });
    expect(body.total).to.equal(0);
  });
});
