import { expect } from 'chai';
import fc from 'fast-check';
import { contentId } from '../../../kernel/internal-api.ts';
import { type FactDraft, formatInstant, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { startTestNode, type TestNode } from '../../kit/start-test-node.ts';

/** A fact of one triple, as some node asserted it. Times are milliseconds from the beginning of a run. */
interface Said {
  readonly v: string;
  readonly confidence: number;
  readonly stamp: number;
  readonly validUntil: number | null;
  /** Indices of the facts of the same story from which it was derived. Higher numbers name unknown facts. */
  readonly names: readonly number[];
}

const said: fc.Arbitrary<Said> = fc.record({
  v: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0, 0.5, 0.5, 0.9, 0.9, 1),
  stamp: fc.integer({ min: 1, max: 9 }),
  validUntil: fc.constantFrom(null, null, null, -10, 900, 2_500),
  names: fc.oneof(fc.constant([]), fc.uniqueArray(fc.nat({ max: 8 }), { minLength: 2, maxLength: 4 })),
});

/** One way for the facts to arrive: their order, the size of groups, pauses after some, and repetitions of some. */
interface Way {
  readonly order: readonly number[];
  readonly size: number;
  readonly pauses: readonly number[];
  readonly repeated: readonly number[];
}

const wayOf = (count: number): fc.Arbitrary<Way> => {
  const places = Array.from({ length: count }, (_, n) => n);
  return fc.record({
    order: fc.shuffledSubarray(places, { minLength: count }),
    size: fc.integer({ min: 1, max: count }),
    pauses: fc.uniqueArray(fc.constantFrom(...places), { maxLength: 2 }),
    repeated: fc.uniqueArray(fc.constantFrom(...places), { maxLength: 3 }),
  });
};

const story = fc.array(said, { minLength: 2, maxLength: 8 }).chain((facts) =>
  fc.record({
    facts: fc.constant(facts),
    ways: fc.array(wayOf(facts.length), { minLength: 2, maxLength: 3 }),
  }),
);

interface FactBody {
  readonly id: string;
  readonly contradicted: boolean;
}

interface ConflictBody {
  readonly status: string;
  readonly fact_a: FactBody & { readonly entity: string };
  readonly fact_b: FactBody;
  readonly members: readonly string[];
}

forEachStore('the answers of nodes that hold the same facts', () => {
  let node: TestNode;
  let key: string;
  let worlds = 0;

  before(async () => {
    node = await startTestNode({ plugins: ['facts', 'conflicts', 'cards'] });
    key = await node.addKey();
  });
  after(() => node.stop());

  const idOf = (world: number, n: number): string => `w${world}-${n}`;

  const draftOf = (world: number, facts: readonly Said[], n: number, baseMs: number): FactDraft => {
    const { confidence, stamp, validUntil, names } = facts[n] as Said;
    return {
      ...sayingOf(world, facts, n),
      confidence,
      validUntil: validUntil === null ? null : formatInstant(baseMs + validUntil),
      timestamp: formatInstant(baseMs - 10_000 + stamp),
      id: idOf(world, n),
      hlcText: `${baseMs - 10_000 + stamp}.0`,
      receivedFrom: 'svc:node:far',
      derivedFrom: names.map((other) => contentId(sayingOf(world, facts, other))),
    };
  };

  const sayingOf = (world: number, facts: readonly Said[], n: number) => ({
    entity: `user:w${world}`,
    relation: 'memory:role',
    value: { type: 'string', v: facts[n]?.v ?? 'never said', interpretAs: 'content' } as const,
    source: `agent:${n % 2}`,
    confidence: facts[n]?.confidence ?? 1,
    scope: 'company' as const,
  });

  const arrive = async (world: number, facts: readonly Said[], way: Way, baseMs: number): Promise<void> => {
    const caller = nodePrincipal(node.kernel.get(NodeSelf).names);
    for (let at = 0; at < way.order.length; at += way.size) {
      const group = way.order.slice(at, at + way.size);
      const again = way.repeated.filter((n) => way.order.indexOf(n) < at + way.size);
      const drafts = [...group, ...again].map((n) => draftOf(world, facts, n, baseMs));
      for (const { kind } of await node.facts.appendAll(drafts, caller, { origin: 'peer' })) {
        expect(kind).to.equal('stored');
      }
      if (group.some((n) => way.pauses.includes(n))) await node.clock.advance(500);
    }
  };

  /** Ends the contradictions of a world, so that lists stay short. */
  const forget = async (world: number): Promise<void> => {
    const body = { ...sayingOf(world, [], 0), value: { type: 'string', v: 'gone' }, confidence: 0 };
    expect((await node.request('POST', '/v1/facts', { key, body })).status).to.equal(201);
  };

  /** Returns the results of all default requests, without the name of the world. */
  const seen = async (world: number): Promise<unknown> => {
    const get = async (path: string) => {
      const { status, body } = await node.request('GET', path, { key });
      const { refreshed_at: _, ...rest } = body;
      return [status, JSON.parse(JSON.stringify(rest).replaceAll(`w${world}`, 'w'))];
    };
    const entity = `user:w${world}`;
    const facts: unknown[] = [];
    for (const more of ['', '&include_contradicted=true', '&include_retracted=true', '&include_expired=true']) {
      const [, body] = await get(`/v1/facts?relation=memory:role&entity=${entity}${more}`);
      facts.push([more, body.total, body.facts.map(({ id, contradicted }: FactBody) => [id, contradicted])]);
    }
    const [, body] = await get('/v1/conflicts?limit=500');
    const own = body.conflicts.filter(({ fact_a: { entity: about } }: ConflictBody) => about === 'user:w');
    const conflicts = own.map(({ status, fact_a, fact_b, members }: ConflictBody) => [
      [status, fact_a.id, fact_b.id],
      members,
    ]);
    const [status, card] = await get(`/v1/cards/${entity}?scope=company`);
    return { facts, conflicts, card: [status, card.summary, card.contradicted_count] };
  };

  it('do not depend on the order, grouping, time or repetition of arrivals', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ facts, ways }) => {
        const baseMs = node.clock.nowMs();
        const own = ways.map(() => (worlds += 1));
        for (const [at, way] of ways.entries()) await arrive(own[at] as number, facts, way, baseMs);
        for (const pause of [0, 1_000, 2_000]) {
          await node.clock.advance(pause);
          const [first, ...others] = await Promise.all(own.map(seen));
          for (const other of others) expect(other).to.deep.equal(first);
        }
        for (const world of own) await forget(world);
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});
