import { expect } from 'chai';
import { forEachStore } from '../../../kit/for-each-store.ts';
import { startTestNode, type TestNode } from '../../../kit/start-test-node.ts';
import type { TestReply } from '../../../kit/test-request.ts';

const PLUGINS = ['conflicts', 'facts', 'gardens', 'keys', 'time-travel'] as const;
const SECOND = 1_000;

forEachStore('the history of an entity', () => {
  let node: TestNode;
  let key: string;
  beforeEach(async () => {
    node = await startTestNode({ plugins: PLUGINS });
    key = await node.addKey({ entityUri: 'agent:s' });
  });
  afterEach(() => node.stop());

  const say = async (v: string, members: object = {}, as = key): Promise<TestReply['body']> => {
    await node.clock.advance(SECOND);
    const value = { type: 'string', v };
    const body = {
      entity: 'user:noor',
      relation: 'memory:role',
      value,
      source: 'agent:s',
      scope: 'company',
      ...members,
    };
    const reply = await node.request('POST', '/v1/facts', { key: as, body });
    expect(reply.status, reply.text).to.equal(201);
    return reply.body;
  };
  const read = async (path = '/v1/history/user:noor', as = key): Promise<TestReply['body']> => {
    const { status, body } = await node.request('GET', path, { key: as });
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const told = ({ events }: TestReply['body']): unknown[] =>
    events.map((one: { event: string; fact: { value: { v: string } }; ended: { by: string } | null }) =>
      one.ended === null ? [one.event, one.fact.value.v] : [one.event, one.fact.value.v, one.ended.by],
    );
  const periods = ({ winners }: TestReply['body']): string[][][] =>
    winners.map((triple: { periods: { fact_ids: string[] }[] }) => triple.periods.map(({ fact_ids }) => fact_ids));

  it('lists recorded facts in order, with their rivals and their ends', async () => {
    const one = await say('one', { confidence: 0.9 });
    const two = await say('two', { confidence: 0.5 });
    const gone = await say('retracted', { confidence: 0 });
    const three = await say('three');
    const body = await read();
    expect(told(body)).to.deep.equal([
      ['asserted', 'one', 'retraction'],
      ['asserted', 'two', 'retraction'],
      ['retracted', 'retracted'],
      ['asserted', 'three'],
    ]);
    const [first, second, third] = body.events;
    expect(first).to.deep.include({ contradicts: [], stamp: one.hlc, recorded_at: one.timestamp });
    expect(first.fact).to.deep.include({ id: one.id, value: one.value, contradicted: false });
    expect(second.contradicts).to.deep.equal([one.id]);
    expect(second.ended).to.deep.equal({ at: gone.timestamp, by: 'retraction', fact_id: gone.id });
    expect(third.ends).to.have.members([one.id, two.id]);
    expect(body.winners).to.deep.equal([
      {
        entity: 'user:noor',
        relation: 'memory:role',
        scope: 'company',
        periods: [
          { fact_ids: [one.id], from: one.timestamp, until: gone.timestamp },
          { fact_ids: [three.id], from: three.timestamp, until: null },
        ],
      },
    ]);
  });

  it('lists rivals and ended facts in the order in which they were recorded', async () => {
    const names: string[] = [];
    // The store has an index by confidence, and would return the facts in its order.
    for (const confidence of [0.5, 0.9, 0.1, 1, 0.3]) names.push((await say(`${confidence}`, { confidence })).id);
    await say('all of them', { confidence: 0 });
    const { events } = await read();
    const last = events.at(-1);
    expect(events.at(-2).contradicts).to.deep.equal(names.slice(0, -1));
    expect(last.ends).to.deep.equal(names);
  });

  it('shows the winners after a resolution, and after a winner has expired', async () => {
    const until = new Date(node.clock.nowMs() + 20 * SECOND).toISOString();
    const short = await say('short', { valid_until: until });
    const weak = await say('weak', { confidence: 0.4 });
    await node.clock.advance(30 * SECOND);
    expect(periods(await read())).to.deep.equal([[[short.id], [weak.id]]]);
    await say('rival', { confidence: 0.3 });
    const { body } = await node.request('GET', '/v1/conflicts', { key });
    const path = `/v1/conflicts/${body.conflicts[0].conflict_id}/resolve`;
    const value = { type: 'string', v: 'settled' };
    const resolved = await node.request('POST', path, { key, body: { new_value: value } });
    expect(resolved.status).to.equal(200);
    const page = await read();
    expect(told(page)).to.deep.equal([
      ['asserted', 'short', 'valid_until'],
      ['asserted', 'weak', 'resolution'],
      ['asserted', 'rival', 'resolution'],
      ['resolved', 'settled'],
    ]);
    expect(periods(page)).to.deep.equal([[[short.id], [weak.id], [resolved.body.resolution_fact_id]]]);
  });

  it('shows a time-to-live only after it was set, and no future end', async () => {
    const { id } = await say('one');
    const ttl = (v: string) => say('', { entity: id, relation: 'svc:ttl', value: { type: 'datetime', v } });
    await ttl(new Date(node.clock.nowMs() + 60 * SECOND).toISOString());
    expect(told(await read())).to.deep.equal([['asserted', 'one']]);
    const set = await ttl('2020-01-01T00:00:00Z');
    const { events } = await read();
    expect(events[0].ended).to.deep.equal({ at: set.timestamp, by: 'ttl', fact_id: null });
  });

  it('agrees with the node’s answers at each moment', async () => {
    const values = ['a', 'b', 'a', 'c', 'b', 'a'];
    for (const [at, v] of values.entries()) await say(v, { confidence: [0.5, 0.9, 0, 0.7, 0.7, 0.2][at] });
    const body = await read();
    for (const { stamp } of body.events) {
      const page = await read(`/v1/facts?entity=user:noor&as_of=${stamp}`);
      const shown = page.facts.filter((fact: { confidence: number }) => fact.confidence > 0);
      const at = body.events.find((one: { stamp: string }) => one.stamp === stamp).recorded_at;
      const [triple] = body.winners;
      const period = triple.periods.find(
        ({ from, until }: { from: string; until: string | null }) => from <= at && (until === null || until > at),
      );
      const winners: string[] = shown.map((fact: { id: string }) => fact.id);
      if (period === undefined) expect(winners).to.deep.equal([]);
      else expect(winners).to.include.members(period.fact_ids);
    }
  });

  it('appears in pages, filtered by scope and by relation', async () => {
    for (let n = 0; n < 5; n += 1)
      await say(`${n}`, { relation: `memory:r${n % 2}`, scope: n === 4 ? 'team' : 'company' });
    const values: unknown[] = [];
    let path = '/v1/history/user:noor?limit=2';
    for (let pages = 0; pages < 3; pages += 1) {
      const body = await read(path);
      values.push(...body.events.map((one: { fact: { value: { v: string } } }) => one.fact.value.v));
      path = `/v1/history/user:noor?limit=2&cursor=${body.cursor}`;
      if (pages === 2) expect(body.cursor).to.equal(null);
    }
    expect(values).to.deep.equal(['0', '1', '2', '3', '4']);
    expect((await read('/v1/history/user:noor?relation=memory:r0')).events).to.have.length(3);
    expect((await read('/v1/history/User:Noor?scope=team')).events).to.have.length(1);
  });

  it('covers the triple and place of a fact, if requested by its id', async () => {
    const { id } = await say('one');
    await say('two');
    await say('other', { relation: 'memory:other' });
    const body = await read(`/v1/facts/${id}/history`);
    expect(told(body)).to.deep.equal([
      ['asserted', 'one'],
      ['asserted', 'two'],
    ]);
    const unknown = await node.request('GET', '/v1/facts/no-such-fact/history', { key });
    expect([unknown.status, unknown.body.code]).to.deep.equal([404, 'lookup']);
  });

  it('depends only on the facts that the caller can see today', async () => {
    const owner = await node.addKey({ entityUri: 'agent:gardener' });
    const garden = { slug: 'herbs', name: 'Herbs', scope: 'company' };
    expect((await node.request('POST', '/v1/gardens', { key: owner, body: garden })).status).to.equal(201);
    await say('outside');
    const before = await read();
    const { id } = await say('inside', { garden_id: 'herbs' }, owner);
    await say('team', { scope: 'team' });
    const company = await node.addKey({ entityUri: 'agent:c', scopes: ['company'] });
    const after = await read('/v1/history/user:noor', company);
    expect({ ...after, cursor: null }).to.deep.equal(before);
    expect((await node.request('GET', `/v1/facts/${id}/history`, { key: company })).status).to.equal(404);
    expect((await read('/v1/history/user:noor?scope=company', owner)).events).to.have.length(2);
  });

  it('marks a triple with too many facts, and leaves out its winners', async () => {
    const bodies = Array.from({ length: 501 }, (_, n) => ({
      entity: 'user:crowd',
      relation: 'memory:n',
      value: { type: 'number', v: n },
      source: 'agent:s',
      scope: 'company',
    }));
    expect((await node.request('POST', '/v1/facts/batch', { key, body: bodies })).status).to.equal(200);
    const body = await read('/v1/history/user:crowd?limit=3');
    expect(body.events).to.have.length(3);
    expect(body.winners).to.deep.equal([
      { entity: 'user:crowd', relation: 'memory:n', scope: 'company', periods: [], truncated: true },
    ]);
  });
});
