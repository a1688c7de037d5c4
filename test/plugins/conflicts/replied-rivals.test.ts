import { expect } from 'chai';
import { createStoreCounter } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type RelationsNode, startRelationsNode } from '../relations/relations-node.ts';

const RULE = 'PUT /v1/relations {"pattern":"memory:likes","values":"many"}';

forEachStore('the reply to an assertion that contradicts stored facts', () => {
  const counter = createStoreCounter();
  let node: RelationsNode;
  before(async () => {
    node = await startRelationsNode({ wrapStore: counter.count });
  });
  after(() => node.stop());

  const body = (entity: string, v: string, members: object = {}) => ({
    entity,
    relation: 'memory:likes',
    value: { type: 'string', v },
    source: 'agent:a',
    scope: 'company',
    ...members,
  });
  const post = (path: string, sent: unknown, headers: Readonly<Record<string, string>> = {}, key = node.key) =>
    node.request('POST', path, { key, body: sent, headers });

  it('names those facts and the requests that settle the contradiction, also for a repeated fact', async () => {
    const first = await node.say('tea', { entity: 'user:one' });
    expect(first).to.not.have.property('contradiction');
    const second = await node.say('jam', { entity: 'user:one' });
    const { conflict_id: conflict, ...told } = second.contradiction;
    expect(told).to.deep.equal({
      fact_ids: [first.id],
      correct:
        'POST /v1/facts {"value":{"type":"string","v":…},"source":…,"reason":…,"entity":"user:one",' +
        `"relation":"memory:likes","scope":"company","garden_id":null,"replaces":["${second.id}","${first.id}"]}`,
      settle: `POST /v1/conflicts/${conflict}/resolve {"winning_fact_id":"${second.id}"}`,
      hold_many: RULE,
    });
    const again = await node.say('jam', { entity: 'user:one' });
    expect([again.id, again.contradiction]).to.deep.equal([second.id, second.contradiction]);
    const read = await node.request('GET', `/v1/facts/${second.id}`, { key: node.key });
    expect(read.body).to.include({ contradicted: true }).and.to.not.have.property('contradiction');
    const call = { key: node.key, body: JSON.parse(told.settle.slice(told.settle.indexOf('{'))) };
    expect((await node.request('POST', `/v1/conflicts/${conflict}/resolve`, call)).status).to.equal(200);
    const after = await node.say('rye', { entity: 'user:one' });
    expect(after.contradiction.fact_ids).to.have.length(1).and.to.not.include(first.id);
  });

  it('names them for each item of a batch, and is identical for a repeated idempotency key', async () => {
    const items = ['tea', 'jam', 'jam'].map((v) => body('user:batch', v));
    const headers = { 'idempotency-key': 'three' };
    const reply = await post('/v1/facts/batch', items, headers);
    const [tea, jam, again] = reply.body.results.map(({ fact }: { fact: unknown }) => fact);
    expect(tea.contradiction.fact_ids).to.deep.equal([jam.id]);
    expect(jam.contradiction.fact_ids).to.deep.equal([tea.id]);
    expect(again).to.deep.equal(jam);
    expect((await post('/v1/facts/batch', items, headers)).text).to.equal(reply.text);
  });

  it('names only the ten newest of many contradicted facts', async () => {
    const items = Array.from({ length: 12 }, (_, at) => body('user:many', `v${at}`));
    const { results } = (await post('/v1/facts/batch', items)).body;
    const ids = results.map(({ fact }: { fact: { id: string } }) => fact.id);
    const last = await node.say('last', { entity: 'user:many' });
    expect(last.contradiction.fact_ids).to.deep.equal(ids.slice(2).reverse());
  });

  it('names no contradicted facts to a key that may not read', async () => {
    await node.say('tea', { entity: 'user:blind' });
    const writer = await node.addKey({ entityUri: 'agent:w', permissions: ['write'] });
    const { status, body: fact } = await post('/v1/facts', body('user:blind', 'jam'), {}, writer);
    expect([status, 'contradiction' in fact]).to.deep.equal([201, false]);
  });

  it('takes as many statements for a key that may read as for one that may not', async () => {
    const writer = await node.addKey({ entityUri: 'agent:w', permissions: ['write'] });
    const costOf = async (entity: string, key: string) => {
      await node.say('tea', { entity });
      // The first request of a key reads more.
      await post('/v1/facts', body('user:warm', 'jam'), {}, key);
      return (await counter.during(() => post('/v1/facts', body(entity, 'jam'), {}, key))).statements;
    };
    expect(await costOf('user:cost1', node.key)).to.equal(await costOf('user:cost2', writer));
  });
});
