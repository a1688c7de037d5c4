import { expect } from 'chai';
import { createStoreCounter, type StoreCounts } from '../../fakes/counting-store.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { type GardenNode, startGardenNode } from '../../plugins/gardens/garden-kit.ts';

const counter = createStoreCounter();

const startCounted = (): Promise<GardenNode> =>
  startGardenNode({
    plugins: ['gardens', 'keys', 'facts', 'conflicts'],
    wrapStore: (store) => counter.count(store),
  });

/** Returns the number of statements of a request, and of the rows that they return. */
const costOf = async (work: () => Promise<unknown>): Promise<Pick<StoreCounts, 'statements' | 'rows'>> => {
  const { statements, rows } = await counter.during(work);
  return { statements, rows };
};

/** Fills all caches before the measurement begins. */
const warmUp = async (garden: GardenNode): Promise<void> => {
  for (const actor of ['stranger', 'reader', 'writer'] as const) {
    if (actor !== 'reader') await garden.say(actor, { entity: 'user:first', relation: `memory:${actor}` });
    await garden.must(200, actor, 'GET', '/v1/facts?entity=user:first');
  }
};

const value = (v: string) => ({ value: { type: 'string', v } });

forEachStore('A writer contradicts one triple in each of many gardens (I21)', () => {
  let garden: GardenNode;
  before(async function () {
    this.timeout(240_000);
    garden = await startCounted();
    for (let n = 0; n < 150; n += 1) {
      await garden.must(201, 'operator', 'POST', '/v1/gardens', { slug: `g${n}`, name: 'G' });
    }
    for (const crowd of [40, 150]) {
      const facts = Array.from({ length: crowd }, (_, n) => ({ ...said(crowd), ...value(`${n}`), garden_id: `g${n}` }));
      await garden.must(200, 'operator', 'POST', '/v1/facts/batch', facts);
    }
    await warmUp(garden);
  });
  after(() => garden.stop());

  const said = (crowd: number) => ({
    entity: `user:crowd-${crowd}`,
    relation: 'memory:role',
    source: 'agent:w1',
    scope: 'company',
  });

  it('and the next writer of that triple pays no more, outside gardens or in one', async () => {
    const costs = [];
    for (const crowd of [0, 40, 150]) {
      const outside = await costOf(() => garden.say('stranger', { ...said(crowd), ...value('mine') }));
      const differing = await costOf(() => garden.say('stranger', { ...said(crowd), ...value('other') }));
      const inside = await costOf(() => garden.say('writer', { ...said(crowd), ...value('x'), garden_id: 'herbs' }));
      const retraction = await costOf(() => garden.say('stranger', { ...said(crowd), confidence: 0 }));
      costs.push({ outside, differing, inside, retraction });
    }
    expect(costs[1]).to.deep.equal(costs[0]);
    expect(costs[2]).to.deep.equal(costs[0]);
  });

  it('and readers of that entity pay no more, not even a member of one garden', async () => {
    const costs = [];
    for (const crowd of [0, 40, 150]) {
      await garden.say('stranger', { ...said(crowd), ...value('mine') });
      const ask = (actor: 'stranger' | 'reader') => () =>
        garden.must(200, actor, 'GET', `/v1/facts?entity=user:crowd-${crowd}`);
      costs.push({ stranger: await costOf(ask('stranger')), reader: await costOf(ask('reader')) });
    }
    expect(costs[1]).to.deep.equal(costs[0]);
    expect(costs[2]).to.deep.equal(costs[0]);
  });

  it('and no conflict gets more than three members', async () => {
    const { body } = await garden.must(200, 'operator', 'GET', '/v1/conflicts?status=all&limit=500');
    for (const { members } of body.conflicts) expect(members.length).to.be.at.most(3);
  });
});

forEachStore('A writer leaves hundreds of contradictions unresolved (I21)', () => {
  let garden: GardenNode;
  before(async function () {
    this.timeout(240_000);
    garden = await startCounted();
    await garden.say('stranger', { entity: 'user:quiet' });
    await contradict('user:busy', 'memory:role');
  });
  after(() => garden.stop());

  const contradict = async (entity: string, relation: string): Promise<void> => {
    for (const v of ['a', 'b']) await garden.say('writer', { entity, relation, ...value(v) });
  };
  const costs = async () => {
    const ask = (target: string) => () => garden.must(200, 'stranger', 'GET', target);
    const write = () => {
      counted += 1;
      return garden.say('stranger', { entity: 'user:busy', relation: `memory:n${counted}` });
    };
    // Facts with equal timestamps have no fixed order, and a contested one adds the cost of its own conflict.
    const { clock } = garden.node;
    clock.setNowMs(clock.nowMs() + 1);
    await costOf(write);
    return {
      everything: await costOf(ask('/v1/facts?limit=1')),
      oneEntity: await costOf(ask('/v1/facts?entity=user:quiet')),
      busyEntity: await costOf(ask('/v1/facts?entity=user:busy&relation=memory:role')),
      conflicts: await costOf(ask('/v1/conflicts?limit=1')),
      write: await costOf(write),
    };
  };
  let counted = 0;

  it('and a query (filtered or not), a page of conflicts and a write cost no more', async function () {
    this.timeout(240_000);
    await contradict('user:more', 'memory:role');
    const before = await costs();
    const facts = Array.from({ length: 800 }, (_, n) => ({
      entity: n < 400 ? `user:e${n >> 1}` : 'user:busy',
      relation: `memory:r${n >> 1}`,
      source: 'agent:w1',
      scope: 'company',
      ...value(`${n & 1}`),
    }));
    await garden.must(200, 'writer', 'POST', '/v1/facts/batch', facts);
    expect(await costs()).to.deep.equal(before);
    const { body } = await garden.must(200, 'stranger', 'GET', '/v1/conflicts?limit=500');
    expect(body.conflicts).to.have.length(402);
  });
});

forEachStore('A writer joins many conflicts with one batch (I21)', () => {
  let garden: GardenNode;
  before(async () => {
    garden = await startCounted();
    await warmUp(garden);
  });
  after(() => garden.stop());

  const batch = (count: number, v: string, entity = 'user:joined') =>
    Array.from({ length: count }, (_, n) => ({
      entity,
      relation: `memory:r${n}`,
      source: 'agent:w1',
      scope: 'company',
      ...value(v),
    }));

  it('and the number of statements does not depend on the number of its facts', async () => {
    for (const v of ['one', 'other']) await garden.must(200, 'writer', 'POST', '/v1/facts/batch', batch(40, v));
    const join = (count: number, v: string) => () =>
      garden.must(200, 'writer', 'POST', '/v1/facts/batch', batch(count, v));
    const few = await costOf(join(10, 'third'));
    const many = await costOf(join(40, 'fourth'));
    expect(many.statements).to.equal(few.statements);
  });

  it('and the same holds when the batch makes many contested facts live again', async () => {
    const say = async (entity: string, v: string): Promise<string[]> => {
      const { body } = await garden.must(200, 'writer', 'POST', '/v1/facts/batch', batch(50, v, entity));
      return body.results.map(({ fact }: { fact: { id: string } }) => fact.id);
    };
    const live = async (ids: readonly string[], v: string): Promise<number> => {
      const value = { type: 'datetime', v };
      const lives = ids.map((entity) => ({ entity, relation: 'svc:ttl', source: 'agent:w1', scope: 'company', value }));
      return (await costOf(() => garden.must(200, 'writer', 'POST', '/v1/facts/batch', lives))).statements;
    };
    /** Returns the cost of 30 additional facts when all become live again. */
    const revive = async (entity: string, before: () => Promise<unknown>): Promise<number> => {
      const ids = await say(entity, 'one');
      await live(ids, '2020-01-01T00:00:00Z');
      await before();
      const few = await live(ids.slice(0, 10), '2999-01-01T00:00:00Z');
      return (await live(ids.slice(10), '2999-01-01T00:00:00Z')) - few;
    };
    const alone = await revive('user:alone', async () => undefined);
    expect(await revive('user:revived', () => say('user:revived', 'other'))).to.equal(alone);
    const { body } = await garden.must(200, 'reader', 'GET', '/v1/conflicts?limit=500');
    expect(body.conflicts.map(entityOf).filter((entity: string) => entity === 'user:revived')).to.have.length(50);
  });

  const entityOf = ({ fact_a: fact }: { fact_a: { entity: string } }): string => fact.entity;
});

forEachStore('A writer asserts hundreds of values for one triple (I21)', () => {
  let garden: GardenNode;
  before(async function () {
    this.timeout(240_000);
    garden = await startCounted();
    await warmUp(garden);
  });
  after(() => garden.stop());

  const crowd = async (from: number, to: number): Promise<void> => {
    const facts = Array.from({ length: to - from }, (_, n) => ({
      entity: 'user:hub',
      relation: 'memory:role',
      source: 'agent:w1',
      scope: 'company',
      confidence: 0.5,
      ...value(`${from + n}`),
    }));
    await garden.must(200, 'writer', 'POST', '/v1/facts/batch', facts);
  };
  const costs = async () => {
    const write = () => {
      written += 1;
      return costOf(() => garden.say('stranger', { entity: 'user:hub', ...value(`own ${written}`) }));
    };
    await write();
    return {
      joining: await write(),
      read: await costOf(() => garden.must(200, 'reader', 'GET', '/v1/facts?entity=user:hub')),
      all: await costOf(() => garden.must(200, 'reader', 'GET', '/v1/facts?limit=5')),
    };
  };

  let written = 0;

  it('and beyond a bound neither another value nor finding the winner costs more', async function () {
    this.timeout(240_000);
    await crowd(0, 100);
    const before = await costs();
    await crowd(100, 900);
    const after = await costs();
    expect(after).to.deep.equal(before);
    expect(before.joining.rows).to.be.below(64 * 4);
  });

  it('and the conflict lists its newest members, marked as incomplete', async function () {
    this.timeout(240_000);
    await crowd(900, 1_100);
    const { body } = await garden.must(200, 'reader', 'GET', '/v1/conflicts');
    const [conflict] = body.conflicts;
    expect(conflict.members).to.have.length(1_000);
    expect(conflict.truncated).to.equal(true);
    const newest = await garden.say('stranger', { entity: 'user:hub', ...value('newest') });
    const again = await garden.must(200, 'reader', 'GET', '/v1/conflicts');
    expect(again.body.conflicts[0].members[0]).to.equal(newest.id);
    const path = `/v1/conflicts/${conflict.conflict_id}/resolve`;
    await garden.must(200, 'stranger', 'POST', path, { winning_fact_id: newest.id });
    const left = await garden.must(200, 'reader', 'GET', '/v1/facts?entity=user:hub');
    expect(left.body.total).to.equal(1);
  });
});
