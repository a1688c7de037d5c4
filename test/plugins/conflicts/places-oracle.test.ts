import { expect } from 'chai';
import fc from 'fast-check';
import { type FactDraft, formatInstant, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import { forEachStore } from '../../kit/for-each-store.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { type GardenNode, startGardenNode } from '../gardens/garden-kit.ts';

/** A fact of another node, and the events that end it. Times are milliseconds from the beginning of a run. */
interface Said {
  readonly v: string;
  readonly confidence: number;
  readonly stamp: number;
  readonly validUntil: number | null;
  /** A time-to-live that this node sets; null for none. */
  readonly ttl: number | null;
  readonly inGarden: boolean;
}

const said: fc.Arbitrary<Said> = fc.record({
  v: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0, 0.5, 0.5, 0.9, 0.9),
  stamp: fc.integer({ min: 1, max: 6 }),
  validUntil: fc.constantFrom(null, null, -10, 1_000, 3_000),
  ttl: fc.constantFrom(null, null, null, 0, 1_000, 2_000),
  inGarden: fc.boolean(),
});

type Event = { readonly n: number; readonly kind: 'said' | 'ended' };

const story = fc.array(said, { minLength: 2, maxLength: 9 }).chain((facts) => {
  const events: Event[] = facts.flatMap(({ ttl }, n): Event[] => [
    { n, kind: 'said' },
    ...(ttl === null ? [] : [{ n, kind: 'ended' } as const]),
  ]);
  return fc.record({
    facts: fc.constant(facts),
    events: fc.shuffledSubarray(events, { minLength: events.length }),
    size: fc.integer({ min: 1, max: 4 }),
  });
});

type Shown = readonly [n: number, contradicted: boolean, differsElsewhere: boolean];

/** The rule, applied to the whole set: the asserting facts that a default query shows, and the contested places. */
const expected = (facts: readonly Said[], atMs: number): { shown: Shown[]; contested: boolean[] } => {
  const places = [false, true].map((inGarden) => {
    const own = facts.map((fact, n) => ({ ...fact, n })).filter((fact) => fact.inGarden === inGarden);
    const live = own.filter(
      (fact) =>
        fact.confidence > 0 &&
        Math.min(fact.validUntil ?? Number.POSITIVE_INFINITY, fact.ttl ?? Number.POSITIVE_INFINITY) > atMs &&
        !own.some(({ confidence, stamp }) => confidence === 0 && stamp > fact.stamp),
    );
    const strength = ({ confidence, stamp }: Said): number => confidence * 100 + stamp;
    const most = Math.max(...live.map(strength));
    const winning = new Set(live.filter((fact) => strength(fact) === most).map(({ v }) => v));
    const values = new Set(live.map(({ v }) => v));
    return { values, winners: live.filter(({ v }) => winning.has(v)) };
  });
  const shown = places.flatMap(({ values, winners }, at) => {
    const elsewhere = places[1 - at]?.values ?? new Set();
    return winners.map(({ n, v }): Shown => [n, values.size > 1, [...elsewhere].some((other) => other !== v)]);
  });
  return { shown: shown.sort(([a], [b]) => a - b), contested: places.map(({ values }) => values.size > 1) };
};

forEachStore('facts of gardens and of no garden that arrive in any order and end at any time', () => {
  let garden: GardenNode;
  let runs = 0;
  before(async () => {
    garden = await startGardenNode({ plugins: ['gardens', 'keys', 'facts', 'conflicts'] });
  });
  after(() => garden.stop());

  const idOf = (n: number): string => `r${runs}-${n}`;

  const draftOf = ({ n, kind }: Event, facts: readonly Said[], baseMs: number): FactDraft => {
    const { v, confidence, stamp, validUntil, ttl, inGarden } = facts[n] as Said;
    const common = { scope: 'company', gardenId: inGarden ? garden.gardenId : null } as const;
    if (kind === 'ended') {
      const instant = formatInstant(baseMs + (ttl ?? 0));
      const value = { type: 'datetime', v: instant, interpretAs: 'content' } as const;
      return { ...common, entity: idOf(n), relation: 'svc:ttl', value, source: 'system:svc', confidence: 1 };
    }
    return {
      ...common,
      entity: `user:r${runs}`,
      relation: 'memory:role',
      value: { type: 'string', v, interpretAs: 'content' },
      source: `agent:${n}`,
      confidence,
      validUntil: validUntil === null ? null : formatInstant(baseMs + validUntil),
      timestamp: formatInstant(baseMs),
      id: idOf(n),
      hlcText: `${baseMs - 1_000 + stamp}.0`,
      receivedFrom: 'svc:node:far',
    };
  };

  const arrive = async (facts: readonly Said[], events: readonly Event[], size: number, baseMs: number) => {
    const { names } = garden.node.kernel.get(NodeSelf);
    for (let at = 0; at < events.length; ) {
      const kind = events[at]?.kind;
      const group = events.slice(at, at + size).filter((event) => event.kind === kind);
      const drafts = group.map((event) => draftOf(event, facts, baseMs));
      await garden.node.facts.appendAll(drafts, nodePrincipal(names), { origin: kind === 'said' ? 'peer' : 'plugin' });
      at += 1;
      // The next group begins one event later, so that facts arrive repeatedly, which must change nothing.
    }
  };

  const shown = async (): Promise<Shown[]> => {
    const { body } = await garden.must(200, 'operator', 'GET', `/v1/facts?entity=user:r${runs}&min_confidence=0.1`);
    const found = body.facts.map(
      (fact: { id: string; contradicted: boolean; differs_elsewhere?: boolean }): Shown => [
        Number(fact.id.split('-')[1]),
        fact.contradicted,
        fact.differs_elsewhere === true,
      ],
    );
    return found.sort(([a]: Shown, [b]: Shown) => a - b);
  };

  const contested = async (): Promise<boolean[]> => {
    const { body } = await garden.must(200, 'operator', 'GET', '/v1/conflicts?limit=500');
    const own = body.conflicts.filter(({ fact_a }: Conflict) => fact_a.entity === `user:r${runs}`);
    return [false, true].map((inGarden) =>
      own.some(({ fact_a }: Conflict) => (fact_a.garden_id !== null) === inGarden),
    );
  };

  it('have the winner that the rule demands in each garden and outside, now and later', async () => {
    await fc.assert(
      fc.asyncProperty(story, async ({ facts, events, size }) => {
        runs += 1;
        const baseMs = garden.node.clock.nowMs();
        await arrive(facts, events, size, baseMs);
        for (const atMs of [0, 1_000, 2_000, 3_000]) {
          const right = expected(facts, atMs);
          expect(await shown()).to.deep.equal(right.shown);
          expect(await contested()).to.deep.equal(right.contested);
          await garden.node.clock.advance(1_000);
        }
      }),
      { numRuns: Math.ceil(RUNS / 4) },
    );
  });
});

interface Conflict {
  readonly fact_a: { readonly entity: string; readonly garden_id: string | null };
}
