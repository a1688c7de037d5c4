import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import type { TestNodeOptions } from '../../kit/start-test-node.ts';
import {
  assertion,
  CAST,
  type GardenFact,
  type GardenNode,
  startGardenNode,
} from '../../plugins/gardens/garden-kit.ts';
import { signingAgent } from './signing-agent.ts';

type Members = Readonly<Record<string, unknown>>;

forEachStore('A moderator promotes from quarantine a fact that it may not assert itself (I14)', () => {
  let garden: GardenNode;
  afterEach(() => garden.stop());

  /** Starts a node on which the reader moderates the ward, and `author` may write instructions into it. */
  const start = async (options: TestNodeOptions = {}): Promise<string> => {
    garden = await startGardenNode({ plugins: ['attestation', 'gardens', 'keys', 'facts', 'conflicts'], ...options });
    await garden.must(201, 'founder', 'POST', '/v1/gardens', { slug: 'ward', name: 'Ward', quarantine: true });
    for (const [entity_uri, role] of [
      [CAST.writer, 'writer'],
      [CAST.reader, 'quarantine:moderator'],
      ['agent:author', 'writer'],
    ] as const) {
      await garden.must(201, 'founder', 'POST', '/v1/gardens/ward/members', { entity_uri, role });
    }
    return garden.node.addKey({ entityUri: 'agent:author', permissions: ['read', 'write', 'instruction:write'] });
  };
  const held = (members: Members = {}): Promise<GardenFact> => garden.say('writer', { garden_id: 'ward', ...members });
  const admit = async (fact: GardenFact, body: Members = {}, headers: Readonly<Record<string, string>> = {}) => {
    const reply = await garden.ask('reader', 'POST', `/v1/quarantine/${fact.id}/admit`, { body, headers });
    return [reply.status, reply.body.code ?? reply.body.action];
  };
  const seenBy = async (actor: 'stranger' | 'writer'): Promise<GardenFact[]> =>
    (await garden.must(200, actor, 'GET', '/v1/facts?entity=user:alice')).body.facts;

  it('such as an instruction, without the permission for instructions', async () => {
    const author = await start();
    const value = { type: 'text', v: 'do as I say', interpret_as: 'instruction' };
    const { body: fact } = await garden.node.request('POST', '/v1/facts', {
      key: author,
      body: assertion({ garden_id: 'ward', value }),
    });
    const body = { fact_id: fact.id };
    const byGarden = await garden.must(403, 'reader', 'POST', '/v1/gardens/ward/promote', body);
    expect(byGarden.body.code).to.equal('instruction_write_required');
    expect(await admit(fact)).to.deep.equal([403, 'instruction_write_required']);
    expect(await seenBy('stranger')).to.deep.equal([]);
    const may = await garden.node.addKey({ entityUri: CAST.reader, permissions: ['write', 'instruction:write'] });
    const path = `/v1/quarantine/${fact.id}/admit`;
    expect((await garden.node.request('POST', path, { key: may, body: {} })).status).to.equal(200);
    expect((await seenBy('stranger')).map(({ value: { v } }) => v)).to.deep.equal(['do as I say']);
  });

  it('such as an unsigned fact, where every assertion needs a signature', async () => {
    await start({ settings: { attestation: { required: true } } });
    const { node } = garden;
    const keys = {
      writer: await node.addKey({ entityUri: CAST.writer }),
      reader: await node.addKey({ entityUri: CAST.reader }),
    };
    const lines = ['user:alice', 'memory:role', 'string', 'gardener', 'agent:w1'];
    const attestation = (await signingAgent(node, keys.writer))(lines);
    const fact = await held({ attestation });
    expect(await admit(fact)).to.deep.equal([422, 'attestation_required']);
    expect(await admit(fact, { attestation }), 'with that of the author').to.deep.equal([403, 'authorization']);
    const sign = await signingAgent(node, keys.reader);
    expect(await admit(fact, { attestation: sign(['something else']) })).to.deep.equal([422, 'attestation_invalid']);
    expect(await seenBy('stranger')).to.deep.equal([]);
    expect(await admit(fact, { attestation: sign(lines) })).to.deep.equal([200, 'promoted']);
  });

  it('such as a fact that contradicts another one, in strict mode', async () => {
    await start({ settings: { conflicts: { mode: 'strict' } } });
    const fact = await held();
    await garden.say('stranger', { value: { type: 'string', v: 'cook' } });
    expect(await admit(fact)).to.deep.equal([409, 'conflict']);
    expect(await admit(fact, { target_garden_id: 'herbs' }), 'nor where it may not write').to.deep.equal([
      403,
      'authorization',
    ]);
    expect((await seenBy('stranger')).map(({ value: { v } }) => v)).to.deep.equal(['cook']);
  });

  it('such as a fact, in a session that has read the target garden', async () => {
    await start({ settings: { facts: { sessionGuard: 'enforce' } } });
    const fact = await held();
    await garden.say('stranger', { entity: 'user:bob' });
    const headers = { 'Svc-Session': 's1' };
    await garden.ask('reader', 'GET', '/v1/facts?entity=user:bob', { headers });
    expect(await admit(fact, {}, headers)).to.deep.equal([403, 'feedback_loop_provenance_required']);
    expect(await admit(fact)).to.deep.equal([200, 'promoted']);
  });

  it('such as a fact of a scope that its key may not write to', async () => {
    await start();
    const fact = await held();
    const narrow = await garden.node.addKey({ entityUri: CAST.reader, scopes: ['local', 'public'] });
    const reply = await garden.node.request('POST', `/v1/quarantine/${fact.id}/admit`, { key: narrow, body: {} });
    expect(reply.status).to.equal(404);
    expect(await seenBy('stranger')).to.deep.equal([]);
  });

  it('but misspells the target garden: the request is refused, and nothing is published', async () => {
    await start();
    const fact = await held();
    for (const target of [' ', 'no-such-garden', 'svc://localhost:8765/garden/', 'svc://localhost:8765']) {
      expect(await admit(fact, { target_garden_id: target })).to.deep.equal([403, 'authorization']);
    }
    for (const target of ['', ['herbs'], 5]) {
      expect(await admit(fact, { target_garden_id: target })).to.deep.equal([422, 'validation']);
    }
    const byQuery = async (query: string, body: Members = {}) =>
      (await garden.ask('founder', 'POST', `/v1/quarantine/${fact.id}/admit?${query}`, { body })).status;
    for (const query of ['target_garden=herbs', 'garden_id=herbs', 'target_garden_id=', 'garden=herbs']) {
      expect(await byQuery(query), query).to.equal(400);
    }
    expect(await byQuery('target_garden_id=no-such-garden')).to.equal(403);
    expect(await byQuery('target_garden_id=herbs', { target_garden_id: 'ward' }), 'two differing ones').to.equal(422);
    expect(await byQuery('target_garden_id=herbs', { target_garden_id: null })).to.equal(200);
    expect((await seenBy('writer')).map(({ garden_id }) => garden_id)).to.deep.equal([
      'svc://localhost:8765/garden/herbs',
    ]);
    expect(await seenBy('stranger')).to.deep.equal([]);
  });
});
