import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';
import { factBody, storedFacts } from './fact-bodies.ts';

forEachStore('the rights to assert', () => {
  let node: TestNode;
  let key: string;

  beforeEach(async () => {
    node = await startTestNode({ plugins: ['attestation', 'facts', 'gardens', 'keys'] });
    key = await node.addKey();
  });

  afterEach(() => node.stop());

  const assertAs = (as: string, changes: Record<string, unknown>, headers: Record<string, string> = {}) =>
    node.request('POST', '/v1/facts', { key: as, body: factBody(changes), headers });

  it('refuses names that are reserved for the node', async () => {
    for (const changes of [
      { relation: 'svc:conflict:status' },
      { relation: 'svc:received_from' },
      { relation: 'svc:memory:card' },
      { relation: 'SVC:received_from' },
      { entity: 'svc:conflict:x' },
      { entity: 'svc:fact:x' },
      { entity: 'svc:resolution:x' },
      { source: 'system:svc' },
      { source: 'SYSTEM:other' },
      { relation: 'instruction:manifest' },
    ]) {
      const { status, body } = await assertAs(key, changes);
      expect([status, body.code], JSON.stringify(changes)).to.deep.equal([403, 'reserved_namespace']);
    }
    expect(await storedFacts(node)).to.equal(0);
    expect((await assertAs(key, { entity: 'svc://host/user/alice' })).status).to.equal(201);
  });

  it('refuses a scope outside the key, for admins too', async () => {
    for (const permissions of [['write'], ['write', 'admin']] as const) {
      const narrow = await node.addKey({ permissions, scopes: ['public'] });
      const { status, body } = await assertAs(narrow, { scope: 'company' });
      expect([status, body.code]).to.deep.equal([403, 'authorization']);
      expect((await assertAs(narrow, { scope: undefined })).status).to.equal(403);
      expect((await assertAs(narrow, { scope: 'public' })).status).to.equal(201);
    }
    expect(await storedFacts(node)).to.equal(1);
  });

  it('refuses a garden that the caller may not write to with 403, or 404 for an admin', async () => {
    const admin = await node.addKey({ permissions: ['write', 'admin'] });
    for (const garden_id of ['a-slug', '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11', 'svc://localhost:8765/garden/x']) {
      const refused = await assertAs(key, { garden_id });
      expect([refused.status, refused.body.code]).to.deep.equal([403, 'authorization']);
      const unknown = await assertAs(admin, { garden_id });
      expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'lookup']);
    }
    expect(await storedFacts(node)).to.equal(0);
  });

  it('accepts instructions only from keys with instruction:write', async () => {
    const value = { type: 'text', v: 'do this', interpret_as: 'instruction' };
    const refused = await assertAs(key, { value });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'instruction_write_required']);
    const author = await node.addKey({ permissions: ['write', 'instruction:write'] });
    const taken = await assertAs(author, { value });
    expect(taken.status).to.equal(201);
    expect(taken.body.value.interpret_as).to.equal('instruction');
  });

  it('checks reserved names before scope, scope before garden, garden before instructions', async () => {
    const narrow = await node.addKey({ permissions: ['write'], scopes: ['public'] });
    const value = { type: 'text', v: 'do this', interpret_as: 'instruction' };
    const all = { source: 'system:svc', garden_id: 'g', value };
    expect((await assertAs(narrow, all)).body.code).to.equal('reserved_namespace');
    const scoped = await assertAs(narrow, { garden_id: 'g', value });
    expect(scoped.body.detail).to.include('scope');
    const garden = await assertAs(narrow, { garden_id: 'g', value, scope: 'public' });
    expect(garden.body.detail).to.include('garden');
    expect((await assertAs(narrow, { value, scope: 'public' })).body.code).to.equal('instruction_write_required');
  });

  it('accepts a session of up to 128 characters', async () => {
    expect((await assertAs(key, {}, { 'Svc-Session': ` ${'s'.repeat(128)} ` })).status).to.equal(201);
    const long = await assertAs(key, {}, { 'Svc-Session': 's'.repeat(129) });
    expect([long.status, long.body.code]).to.deep.equal([400, 'session_id_too_long']);
    expect((await assertAs(key, {}, { 'Svc-Session': '   ' })).status).to.equal(201);
  });

  it('derives the session header from the name of the service', async () => {
    const other = await startTestNode({ plugins: ['facts'], node: { serviceName: 'acme' } });
    try {
      const otherKey = await other.addKey();
      const send = (headers: Record<string, string>, changes = {}) =>
        other.request('POST', '/v1/facts', { key: otherKey, body: factBody(changes), headers });
      expect((await send({ 'Acme-Session': 's'.repeat(129) })).status).to.equal(400);
      expect((await send({ 'Svc-Session': 's'.repeat(129) })).status).to.equal(201);
      expect((await send({}, { relation: 'acme:received_from' })).status).to.equal(403);
      expect((await send({}, { relation: 'svc:received_from' })).status).to.equal(201);
    } finally {
      await other.stop();
    }
  });

  it('refuses every signature that it cannot verify', async () => {
    const reply = await assertAs(key, { attestation: { key_id: 'k', signature: 'c2ln' } });
    expect([reply.status, reply.body.code]).to.deep.equal([422, 'attestation_invalid']);
  });
});
