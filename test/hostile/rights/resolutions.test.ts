import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode, type TestNodeOptions } from '../../kit/start-test-node.ts';
import { type SignAssertion, signingAgent } from './signing-agent.ts';

forEachStore('A writer uses a resolution to assert a fact that it may not assert (I14)', () => {
  let node: TestNode;
  let key: string;
  afterEach(() => node.stop());

  const start = async (options: TestNodeOptions): Promise<void> => {
    node = await startTestNode({ plugins: ['attestation', 'keys', 'facts', 'conflicts'], ...options });
    key = await node.addKey({ entityUri: 'agent:writer' });
  };
  const assert = (v: string, members: Readonly<Record<string, unknown>> = {}, as = key) =>
    node.request('POST', '/v1/facts', {
      key: as,
      body: {
        entity: 'user:alice',
        relation: 'memory:role',
        value: { type: 'string', v },
        source: 'agent:w1',
        ...members,
      },
    });
  const open = async (): Promise<string> => {
    const { body } = await node.request('GET', '/v1/conflicts', { key });
    return body.conflicts[0].conflict_id;
  };
  const resolve = async (body: unknown, headers: Readonly<Record<string, string>> = {}, as = key) =>
    node.request('POST', `/v1/conflicts/${await open()}/resolve`, { key: as, body, headers });

  it('such as an unsigned one, where every assertion needs a signature', async () => {
    await start({ settings: { attestation: { required: true } } });
    const attest = await signingAgent(node, key);
    for (const v of ['a', 'b']) {
      const attestation = attest(['user:alice', 'memory:role', 'string', v, 'agent:w1']);
      expect((await assert(v, { attestation })).status).to.equal(201);
    }
    const new_value = { type: 'string', v: 'c' };
    const codeOf = async (attestation: unknown, as = key) => {
      const { status, body } = await resolve({ new_value, attestation }, {}, as);
      return [status, body.code ?? body.conflict_status];
    };
    expect(await codeOf(undefined)).to.deep.equal([422, 'attestation_required']);
    expect(await codeOf(null)).to.deep.equal([422, 'attestation_required']);
    const signed = (sign: SignAssertion, source: string) => sign(['user:alice', 'memory:role', 'string', 'c', source]);
    expect(await codeOf(signed(attest, 'agent:w1'))).to.deep.equal([422, 'attestation_invalid']);
    const stranger = await node.addKey({ entityUri: 'agent:stranger' });
    const foreign = signed(await signingAgent(node, stranger), 'agent:writer');
    expect(await codeOf(foreign)).to.deep.equal([403, 'authorization']);
    const { status, body } = await resolve({ new_value, attestation: signed(attest, 'agent:writer') });
    expect(status).to.equal(200);
    const stored = await node.request('GET', `/v1/facts/${body.resolution_fact_id}`, { key });
    expect(stored.body.attested_key_id).to.be.a('string');
  });

  it('such as an instruction, without the permission for instructions', async () => {
    await start({});
    await assert('a');
    await assert('b');
    const author = await node.addKey({
      entityUri: 'agent:author',
      permissions: ['read', 'write', 'instruction:write'],
    });
    const value = { type: 'string', v: 'c', interpret_as: 'instruction' };
    const winner = (await assert('', { value }, author)).body.id;
    for (const body of [{ new_value: value }, { winning_fact_id: winner }]) {
      const reply = await resolve(body);
      expect([reply.status, reply.body.code]).to.deep.equal([403, 'instruction_write_required']);
    }
    expect((await resolve({ winning_fact_id: winner }, {}, author)).status).to.equal(200);
  });

  it('such as one in a scope that its key lacks', async () => {
    await start({});
    await assert('a', { scope: 'company' });
    await assert('b', { scope: 'company' });
    const path = `/v1/conflicts/${await open()}/resolve`;
    const narrow = await node.addKey({ entityUri: 'agent:narrow', scopes: ['local'] });
    const body = { new_value: { type: 'string', v: 'c' } };
    expect((await node.request('POST', path, { key: narrow, body })).status).to.equal(404);
  });

  it('such as one in a session that has read elsewhere: allowed, because a resolution names its sources', async () => {
    await start({ settings: { facts: { sessionGuard: 'enforce' } } });
    await assert('a');
    await assert('b');
    const headers = { 'Svc-Session': 's1' };
    await node.request('GET', '/v1/facts?include_contradicted=true', { key, headers });
    const late = await node.request('POST', '/v1/facts', {
      key,
      headers,
      body: { entity: 'user:bob', relation: 'memory:role', value: { type: 'string', v: 'x' }, source: 'agent:w1' },
    });
    expect(late.body.code).to.equal('feedback_loop_provenance_required');
    expect((await resolve({ new_value: { type: 'string', v: 'c' } }, headers)).status).to.equal(200);
  });
});
