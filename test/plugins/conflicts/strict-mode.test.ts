import { expect } from 'chai';
import { forEachStore } from '../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

forEachStore('strict conflict mode', () => {
  let node: TestNode;
  let key: string;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts'], settings: { conflicts: { mode: 'strict' } } });
    key = await node.addKey();
  });
  after(() => node.stop());

  const body = (v: string, changes: object = {}) => ({
    entity: 'user:alice',
    relation: 'memory:role',
    value: { type: 'string', v },
    source: 'agent:w',
    ...changes,
  });
  const post = (v: string, changes: object = {}) => node.request('POST', '/v1/facts', { key, body: body(v, changes) });

  it('refuses another value and names the facts that it contradicts', async () => {
    const first = await post('a');
    const refused = await post('b');
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'conflict']);
    expect(refused.body.conflicting_fact_ids).to.deep.equal([first.body.id]);
    const { body: page } = await node.request('GET', '/v1/facts?entity=user:alice&include_contradicted=true', { key });
    expect(page.total).to.equal(1);
    expect((await node.request('GET', '/v1/conflicts?status=all', { key })).body.conflicts).to.deep.equal([]);
  });

  it('accepts the same value and a retraction, and after that another value', async () => {
    expect((await post('a', { confidence: 0.5 })).status).to.equal(201);
    expect((await post('gone', { confidence: 0 })).status).to.equal(201);
    expect((await post('b')).status).to.equal(201);
  });

  it('accepts a fact that names in `replaces` each fact that it would contradict', async () => {
    const entity = 'user:named';
    const old = await post('old', { entity });
    const next = await post('new', { entity, replaces: [old.body.id] });
    expect(next.status, next.text).to.equal(201);
    const refused = await post('late', { entity });
    expect(refused.body.conflicting_fact_ids).to.deep.equal([next.body.id]);
  });

  it('refuses only the contradicting item of a batch, also if it contradicts an earlier item', async () => {
    const items = [
      body('x', { entity: 'user:new' }),
      body('y', { entity: 'user:new' }),
      body('gone', { entity: 'user:new', confidence: 0 }),
      body('z', { entity: 'user:new' }),
    ];
    const reply = await node.request('POST', '/v1/facts/batch', { key, body: items });
    expect(reply.body.results.map(({ status }: { status: number }) => status)).to.deep.equal([201, 409, 201, 201]);
  });

  it('names every contradicted fact, even if many have the same value', async () => {
    const agreeing = Array.from({ length: 70 }, (_, at) =>
      body('agreed', { entity: 'user:crowd', source: `agent:${at}` }),
    );
    const reply = await node.request('POST', '/v1/facts/batch', { key, body: agreeing });
    expect(reply.body.accepted).to.equal(70);
    const refused = await post('other', { entity: 'user:crowd' });
    expect(refused.body.conflicting_fact_ids).to.have.members(reply.body.results.map(({ fact }: Accepted) => fact.id));
  });

  it('accepts exactly one of many parallel writers of different values', async () => {
    const replies = await Promise.all(Array.from({ length: 20 }, (_, at) => post(`v${at}`, { entity: 'user:raced' })));
    expect(replies.filter(({ status }) => status === 201)).to.have.length(1);
    expect(replies.filter(({ status }) => status === 409)).to.have.length(19);
  });
});

forEachStore('strict conflict mode, with facts that a tombstone hides', () => {
  let node: TestNode;
  let writer: string;
  let operator: string;

  before(async () => {
    node = await startTestNode({
      plugins: ['keys', 'facts', 'conflicts', 'tombstones', 'node-info'],
      settings: { conflicts: { mode: 'strict' } },
      env: { SVC_TOMBSTONES_ENABLED: 'true' },
    });
    writer = await node.addKey();
    operator = await node.addKey({ entityUri: 'agent:operator', permissions: ['read', 'write', 'admin'] });
  });
  after(() => node.stop());

  const claim = (entity: string, v: string) => ({
    entity,
    relation: 'memory:role',
    value: { type: 'string', v },
    source: 'agent:w',
  });
  const say = (entity: string, v: string, key = writer) =>
    node.request('POST', '/v1/facts', { key, body: claim(entity, v) });
  const bury = async (entity: string, members: object = {}) => {
    const body = { entity_uri: entity, ...members };
    expect((await node.request('POST', '/v1/tombstones', { key: operator, body })).status).to.equal(201);
  };

  it('replies to an assertion as if they did not exist (I13)', async () => {
    const { body: hidden } = await say('user:gone', 'hidden');
    await bury('user:gone');
    await bury('user:never');
    for (const entity of ['user:gone', 'user:never']) {
      const reply = await say(entity, 'said later');
      expect(reply.status, reply.text).to.equal(201);
      expect(reply.text).not.to.include(hidden.id);
      expect(reply.body.contradicted, entity).to.equal(false);
      const batch = await node.request('POST', '/v1/facts/batch', { key: writer, body: [claim(entity, 'in a batch')] });
      expect(batch.body.accepted, batch.text).to.equal(1);
    }
  });

  it('still refuses a caller who sees facts on legal hold, and no other caller', async () => {
    const { body: held } = await say('user:held', 'hidden');
    await bury('user:held', { legal_hold: true });
    const refused = await say('user:held', 'another value', operator);
    expect([refused.status, refused.body.conflicting_fact_ids]).to.deep.equal([409, [held.id]]);
    expect((await say('user:held', 'another value')).status).to.equal(201);
  });
});

interface Accepted {
  readonly fact: { readonly id: string };
}
