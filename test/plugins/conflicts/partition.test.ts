import { expect } from 'chai';
import fc from 'fast-check';
import { any, equals, type StoredFact } from '../../../kernel/plugin-api.ts';
import { createManualClock, type ManualClock } from '../../fakes/manual-clock.ts';
import { createSeededRandom } from '../../fakes/seeded-random.ts';
import { carriableFacts, carryFacts } from '../../kit/carry-facts.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

interface FactBody {
  readonly id: string;
  readonly entity: string;
  readonly cid: string;
  readonly contradicted: boolean;
}

interface ConflictBody {
  readonly conflict_id: string;
  readonly fact_a: FactBody;
  readonly fact_b: FactBody;
  readonly members: readonly string[];
}

/** A step of one actor at one of the nodes. */
type Step =
  | { readonly kind: 'assert'; readonly at: number; readonly v: string; readonly confidence: number }
  | { readonly kind: 'sum up'; readonly at: number; readonly v: string; readonly confidence: number }
  | { readonly kind: 'resolve'; readonly at: number; readonly v: string | null }
  | { readonly kind: 'carry'; readonly at: number; readonly to: number; readonly order: readonly number[] }
  | { readonly kind: 'wait'; readonly ms: number };

const NODES = 3;
const at = fc.nat({ max: NODES - 1 });
const v = fc.constantFrom('a', 'b', 'c');
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('assert'), at, v, confidence: fc.constantFrom(0, 0.5, 1) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sum up'), at, v, confidence: fc.constantFrom(0.5, 1) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('resolve'), at, v: fc.option(v) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('carry'),
      at,
      to: at,
      order: fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait'), ms: fc.constantFrom(1, 5) }) },
) as fc.Arbitrary<Step>;

forEachStore('nodes that take writes during a partition and then synchronise', () => {
  let clock: ManualClock;
  let nodes: TestNode[];
  let keys: string[];
  let worlds = 0;

  before(async () => {
    clock = createManualClock();
    nodes = await Promise.all(
      Array.from({ length: NODES }, (_, n) =>
        startTestNode({
          plugins: ['facts', 'conflicts', 'cards'],
          clock,
          random: createSeededRandom(n + 1),
          url: `http://node-${n}.example`,
        }),
      ),
    );
    keys = await Promise.all(nodes.map((node, n) => node.addKey({ entityUri: `agent:${n}` })));
  });
  after(() => Promise.all(nodes.map((node) => node.stop())));

  const call = async (n: number, method: 'GET' | 'POST', path: string, body?: unknown) => {
    const key = keys[n] as string;
    return (nodes[n] as TestNode).request(method, path, body === undefined ? { key } : { key, body: body as object });
  };
  const must = async (status: number, ...args: Parameters<typeof call>) => {
    const answer = await call(...args);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(status);
    return answer.body;
  };
  const assertion = (entity: string, value: string, confidence = 1, more: object = {}) => ({
    entity,
    relation: 'memory:role',
    value: { type: 'string', v: value },
    source: 'agent:w',
    scope: 'company',
    confidence,
    ...more,
  });
  const openConflicts = async (n: number, entity: string): Promise<ConflictBody[]> => {
    const { conflicts } = await must(200, n, 'GET', '/v1/conflicts?limit=500');
    return conflicts.filter(({ fact_a: { entity: about } }: ConflictBody) => about === entity);
  };
  const factsOf = async (n: number, entity: string, more = ''): Promise<FactBody[]> =>
    (await must(200, n, 'GET', `/v1/facts?entity=${entity}&relation=memory:role&limit=500${more}`)).facts;

  /** Returns the results of all default requests about an entity, and its open conflict. */
  const seen = async (n: number, entity: string) => {
    const facts: unknown[] = [];
    for (const more of ['', '&include_contradicted=true', '&include_retracted=true']) {
      facts.push((await factsOf(n, entity, more)).map(({ id, contradicted }) => [id, contradicted]));
    }
    const conflicts = (await openConflicts(n, entity)).map(({ fact_a, fact_b, members }) => [
      fact_a.id,
      fact_b.id,
      members,
    ]);
    const { status, body } = await call(n, 'GET', `/v1/cards/${entity}?scope=company`);
    return { facts, conflicts, card: [status, body.summary, body.contradicted_count] };
  };

  const about = (entity: string) => equals('entityKey', entity);

  const carryAll = async (entity: string): Promise<void> => {
    for (let round = 0; round < NODES; round += 1) {
      const [from, to] = [round, (round + 1) % NODES];
      for (const [a, b] of [
        [from, to],
        [to, from],
        [from, to],
      ] as const) {
        const facts = await carriableFacts(nodes[a] as TestNode, about(entity));
        await carryFacts(nodes[a] as TestNode, facts, nodes[b] as TestNode);
      }
    }
  };

  const take = async (entity: string, done: Step): Promise<void> => {
    if (done.kind === 'wait') return clock.advance(done.ms);
    if (done.kind === 'assert') {
      await must(201, done.at, 'POST', '/v1/facts', assertion(entity, done.v, done.confidence));
    } else if (done.kind === 'sum up') {
      const found = await factsOf(done.at, entity, '&include_contradicted=true');
      const derived_from = found.slice(0, 4).map(({ cid }) => cid);
      const body = assertion(entity, done.v, done.confidence, { derived_from, source: `agent:${done.at}` });
      const { status } = await call(done.at, 'POST', '/v1/facts', body);
      // A fact cannot be derived from its own content.
      expect(status).to.be.oneOf([201, 422]);
    } else if (done.kind === 'resolve') {
      const [open] = await openConflicts(done.at, entity);
      if (open === undefined) return;
      const decision =
        done.v === null ? { winning_fact_id: open.fact_b.id } : { new_value: { type: 'string', v: done.v } };
      await must(200, done.at, 'POST', `/v1/conflicts/${open.conflict_id}/resolve`, decision);
    } else if (done.at !== done.to) {
      const from = nodes[done.at] as TestNode;
      const known = await carriableFacts(from, about(entity));
      const page = [...new Set(done.order)].flatMap((place) => known[place] ?? []);
      await carryFacts(from, page, nodes[done.to] as TestNode);
    }
  };

  it('give the same default answers once all have received all facts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 16 }), async (steps) => {
        worlds += 1;
        const entity = `user:w${worlds}`;
        for (const done of steps) await take(entity, done);
        await carryAll(entity);
        const [first, ...others] = await Promise.all(nodes.map((_, n) => seen(n, entity)));
        for (const other of others) expect(other).to.deep.equal(first);
        const live = (await factsOf(0, entity)).some(({ contradicted }) => contradicted);
        expect(first?.conflicts).to.have.length(live ? 1 : 0);
        // Keeps the lists of later runs short.
        for (const n of nodes.keys()) await must(201, n, 'POST', '/v1/facts', assertion(entity, 'gone', 0));
      }),
      { numRuns: Math.ceil(RUNS / 8) },
    );
  });

  it('follow the resolution of a conflict with very many members, even if it arrives first', async () => {
    worlds += 1;
    const entity = `user:w${worlds}`;
    const batch = Array.from({ length: 130 }, (_, n) => assertion(entity, `value ${n}`, 0.5));
    expect((await must(200, 0, 'POST', '/v1/facts/batch', batch)).accepted).to.equal(130);
    const [open] = await openConflicts(0, entity);
    const decision = { winning_fact_id: open?.fact_b.id };
    const { resolution_fact_id } = await must(200, 0, 'POST', `/v1/conflicts/${open?.conflict_id}/resolve`, decision);
    const { derived_from } = await must(200, 0, 'GET', `/v1/facts/${resolution_fact_id}`);
    // Peers accept no fact with more members.
    expect(derived_from).to.have.length(100);
    const [from, to] = nodes as [TestNode, TestNode];
    for (const fact of (await carriableFacts(from, about(entity))).reverse()) await carryFacts(from, [fact], to);
    expect(await openConflicts(1, entity)).to.deep.equal([]);
    expect((await factsOf(1, entity)).map(({ id }) => id)).to.deep.equal([resolution_fact_id]);
    expect((await seen(1, entity)).facts).to.deep.equal((await seen(0, entity)).facts);
  });

  it('have exactly one open conflict for each of 200 triples, after 1,000 facts on each side', async () => {
    const [left, right] = nodes as [TestNode, TestNode];
    worlds += 1;
    const side = `p${worlds}`;
    for (const n of [0, 1]) {
      for (let from = 0; from < 1_000; from += 500) {
        const batch = Array.from({ length: 500 }, (_, k) => {
          const place = from + k;
          const entity = place < 200 ? `user:${side}-both-${place}` : `user:${side}-${n}-${place}`;
          return assertion(entity, `${n} says ${place}`, place % 3 === 0 ? 0.5 : 1);
        });
        expect((await must(200, n, 'POST', '/v1/facts/batch', batch)).accepted).to.equal(500);
      }
      await clock.advance(3);
    }
    const random = createSeededRandom(7);
    const shuffled = (facts: readonly StoredFact[]) =>
      facts
        .map((fact) => ({ fact, place: random.fraction() }))
        .sort((a, b) => a.place - b.place)
        .map(({ fact }) => fact);
    const entities = Array.from({ length: 200 }, (_, k) => `user:${side}-both-${k}`);
    const own = async (node: TestNode) =>
      (await carriableFacts(node, any(about(entities[0] ?? ''), equals('scope', 'company')))).filter(
        ({ entity, receivedFrom }) => entity.startsWith(`user:${side}-`) && receivedFrom === null,
      );
    const waiting: [TestNode, StoredFact[], TestNode][] = [
      [left, shuffled(await own(left)), right],
      [right, shuffled(await own(right)), left],
    ];
    for (const [, facts] of waiting) expect(facts).to.have.length(1_000);
    while (waiting.some(([, facts]) => facts.length > 0)) {
      const [from, facts, to] = waiting[random.fraction() < 0.5 ? 0 : 1] as (typeof waiting)[number];
      await carryFacts(from, facts.splice(0, 1 + Math.floor(random.fraction() * 120)), to);
    }
    const shown = await Promise.all(
      [0, 1].map(async (n) => {
        const { conflicts, has_more } = await must(200, n, 'GET', '/v1/conflicts?limit=500');
        expect(has_more).to.equal(false);
        const facts: unknown[] = [];
        for (let cursor = ''; ; ) {
          const page = await must(200, n, 'GET', `/v1/facts?relation=memory:role&limit=500${cursor}`);
          const ofSide = page.facts.filter(({ entity }: FactBody) => entity.startsWith(`user:${side}-`));
          facts.push(...ofSide.map(({ id, contradicted }: FactBody) => [id, contradicted]));
          if (page.cursor === null) break;
          cursor = `&cursor=${encodeURIComponent(page.cursor)}`;
        }
        const open = conflicts.map(({ fact_a, fact_b, members }: ConflictBody) => [
          fact_a.entity,
          [fact_a.id, fact_b.id],
          members,
        ]);
        expect(facts).to.have.length(1_800);
        return { facts, open: open.sort() };
      }),
    );
    expect(shown[0]?.open.map(([entity]: [string]) => entity)).to.deep.equal([...entities].sort());
    expect(shown[1]?.open).to.deep.equal(shown[0]?.open);
    expect(shown[1]?.facts).to.deep.equal(shown[0]?.facts);
  });
});
