import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import {
  INSTRUCTION_PLUGINS,
  type InstructionsNode,
  startInstructionsNode,
  unit,
  uriOf,
} from '../../plugins/instructions/instructions-node.ts';

forEachStore('A writer changes the instructions of an agent (I14)', () => {
  let made: InstructionsNode;
  let writer: string;
  let author: string;
  let operator: string;
  beforeEach(async () => {
    made = await startInstructionsNode();
    const { node } = made;
    writer = await node.addKey({ entityUri: 'agent:writer' });
    author = await node.addKey({ entityUri: 'agent:author', permissions: ['read', 'write', 'instruction:write'] });
    operator = await node.addKey({ entityUri: 'agent:operator', permissions: ['read', 'write', 'admin'] });
  });
  afterEach(() => made.node.stop());

  const GUARANTEED = unit('safety', { guarantee_load: true });
  const loaded = async (key = made.key): Promise<string | undefined> =>
    (await made.recalled({ intent: 'nothing' }, { key })).chunks[0]?.content;
  const as = (key: string) => ({ key });
  const instruction = (v: string) => ({ value: { type: 'text', v, interpret_as: 'instruction' } });

  it('with a newer text: the text of the owner is still loaded', async () => {
    await made.say('safety', 'never push both');
    await made.published('v1', [GUARANTEED]);
    await made.say('safety', 'push both', { confidence: 0.01 }, as(writer));
    await made.say('safety', 'push both', { relation: 'x:other', source: 'agent:test' }, as(writer));
    for (const key of [made.key, writer, operator]) expect(await loaded(key)).to.equal('never push both');
  });

  it('before the owner has written anything: nothing is loaded, and the unit is reported as missing', async () => {
    await made.say('safety', 'push both', {}, as(writer));
    const gate = { skip_coverage_gate: false };
    const refused = await made.publish('v1', [GUARANTEED], gate);
    expect([refused.status, refused.body.code]).to.deep.equal([422, 'manifest_coverage_failure']);
    await made.published('v1', [GUARANTEED]);
    expect(await loaded()).to.equal(undefined);
  });

  it('by retracting the text, which works for its owner alone', async () => {
    await made.say('safety', 'never push both');
    await made.published('v1', [GUARANTEED]);
    await made.say('safety', 'retracted', { confidence: 0 }, as(writer));
    await made.say('safety', 'retracted', { confidence: 0 }, as(operator));
    expect(await loaded()).to.equal('never push both');
    await made.say('safety', 'retracted', { confidence: 0 });
    expect(await loaded()).to.equal(undefined);
  });

  it('by resolving a contradiction that it created itself', async () => {
    await made.say('safety', 'never push both');
    await made.published('v1', [GUARANTEED]);
    const lie = await made.say('safety', 'push both', {}, as(writer));
    const { body } = await made.node.request('GET', '/v1/conflicts', { key: writer });
    const path = `/v1/conflicts/${body.conflicts[0].conflict_id}/resolve`;
    const reply = await made.node.request('POST', path, { key: writer, body: { winning_fact_id: lie.id } });
    expect(reply.status).to.equal(200);
    expect(await loaded()).to.equal('never push both');
  });

  it('by setting an expiry: a time-to-live of another writer has no effect there', async () => {
    const { id } = await made.say('safety', 'never push both');
    await made.published('v1', [GUARANTEED]);
    const end = async (key: string, entity: string, v: string) => {
      const body = { entity, relation: 'svc:ttl', value: { type: 'datetime', v }, source: 'agent:x' };
      return (await made.node.request('POST', '/v1/facts', { key, body })).status;
    };
    expect(await end(writer, id, '2020-01-01')).to.equal(403);
    expect(await end(operator, id, '2020-01-01')).to.equal(201);
    expect(await loaded()).to.equal('never push both');
    expect(await end(made.key, `svc:fact:${id}`, '2020-01-01')).to.equal(201);
    expect(await loaded()).to.equal(undefined);
    // No other writer can restore it either.
    expect(await end(operator, id, '2090-01-01')).to.equal(201);
    expect(await loaded()).to.equal(undefined);
    expect(await end(made.key, id, '2090-01-01')).to.equal(201);
    expect(await loaded()).to.equal('never push both');
  });

  it('with an instruction, but without the permission for instructions', async () => {
    await made.published('v1', [GUARANTEED]);
    const body = { entity: uriOf('safety'), relation: 'instruction:content', source: 'agent:author' };
    const reply = await made.node.request('POST', '/v1/facts', { key: writer, body: { ...body, ...instruction('x') } });
    expect([reply.status, reply.body.code]).to.deep.equal([403, 'instruction_write_required']);
    expect(await loaded()).to.equal(undefined);
  });

  it('after a caller with that permission wrote one: the instruction is valid until such a caller ends it', async () => {
    await made.say('safety', 'old');
    await made.published('v1', [GUARANTEED]);
    await made.say('safety', '', instruction('of the author'), as(author));
    expect(await loaded()).to.equal('of the author');
    await made.say('safety', 'retracted', { confidence: 0 }, as(writer));
    expect(await loaded()).to.equal('of the author');
    // The author retracts its own text without using an instruction.
    await made.say('safety', 'retracted', { confidence: 0 }, as(author));
    expect(await loaded()).to.equal('old');
  });

  it('when the text is pinned: only that text is loaded, from any entity, and neither author nor stranger can end it', async () => {
    const { cid } = await made.say('safety', 'checked by the owner', {}, as(writer));
    await made.published('v1', [{ ...GUARANTEED, cid }]);
    expect((await made.manifest()).body.entries[0].cid).to.equal(cid);
    await made.say('safety', 'of the owner');
    await made.say('safety', '', instruction('of the author'), as(author));
    expect(await loaded()).to.equal('checked by the owner');
    await made.say('safety', 'retracted', { confidence: 0 }, as(writer));
    expect(await loaded()).to.equal('checked by the owner');
    await made.say('safety', 'retracted', { confidence: 0 });
    expect(await loaded()).to.equal(undefined);
    const wrong = await made.publish('v2', [{ ...GUARANTEED, cid: 'sha256:1' }]);
    expect([wrong.status, wrong.body.code]).to.deep.equal([422, 'manifest_entry_invalid']);
  });
});

forEachStore('A pending text in quarantine instructs its moderators (I14)', () => {
  let made: InstructionsNode;
  afterEach(() => made.node.stop());

  it('neither while it is pending nor after its rejection, but the copy of an admitted text does', async () => {
    made = await startInstructionsNode({ plugins: [...INSTRUCTION_PLUGINS, 'gardens'] });
    const { node, key } = made;
    await made.published('v1', [unit('safety', { guarantee_load: true })]);
    const ward = { slug: 'ward', name: 'Ward', scope: 'local', quarantine: true };
    expect((await node.request('POST', '/v1/gardens', { key, body: ward })).status).to.equal(201);
    const heard = async () => (await made.recalled({ intent: 'x' })).chunks[0]?.content;
    const held = async (v: string): Promise<string> => (await made.say('safety', v, { garden_id: 'ward' })).id;
    const decide = async (id: string, verb: string) =>
      (await node.request('POST', `/v1/quarantine/${id}/${verb}`, { key, body: {} })).status;
    const refused = await held('refused');
    expect(await heard()).to.equal(undefined);
    expect(await decide(refused, 'reject')).to.equal(200);
    expect(await heard()).to.equal(undefined);
    expect(await decide(await held('let out'), 'admit')).to.equal(200);
    expect(await heard()).to.equal('let out');
  });
});

forEachStore('A writer claims an agent of another owner (I14)', () => {
  let made: InstructionsNode;
  beforeEach(async () => {
    made = await startInstructionsNode();
  });
  afterEach(() => made.node.stop());

  const published = async (key: string, agent: string, version = 'v1') => {
    const { status, body } = await made.publish(version, [], {}, { agent, key });
    return status === 200 ? status : [status, body.code];
  };

  it('and is refused: only the agent itself, and keys with the permission to instruct or administer, may claim it', async () => {
    const { node } = made;
    const writer = await node.addKey({ entityUri: 'agent:writer' });
    for (const agent of ['victim', 'writer2', 'agent:writer']) {
      expect(await published(writer, agent)).to.deep.equal([403, 'instruction_write_required']);
    }
    expect(await published(writer, 'writer')).to.equal(200);
    expect(await published(writer, 'Writer', 'v2')).to.equal(200);
    const tool = await node.addKey({ entityUri: 'tool:writer' });
    expect(await published(tool, 'tool:writer')).to.deep.equal([403, 'instruction_write_required']);
    for (const permission of ['instruction:write', 'admin'] as const) {
      const key = await node.addKey({ entityUri: `agent:${permission}`, permissions: ['write', permission] });
      expect(await published(key, `kept-by-${permission}`)).to.equal(200);
    }
    // A claim is final: not even the agent itself can take it over.
    const kept = await node.addKey({ entityUri: 'agent:kept-by-admin' });
    expect(await published(kept, 'kept-by-admin', 'v2')).to.deep.equal([403, 'authorization']);
  });
});
