import { expect } from 'chai';
import fc from 'fast-check';
import {
  contestedUntil,
  type LiveFact,
  lastingRival,
  MOST_REIGNS,
  NEVER,
  type Standing,
  standingOf,
} from '../../../plugins/conflicts/standing.ts';
import { compareStrength, strongestRival } from '../../../plugins/conflicts/strength.ts';
import { RUNS } from '../../kit/property-runs.ts';

const fact = (id: string, valueKey: string, confidence: number, counter: number, untilMs = NEVER): LiveFact => ({
  id,
  valueKey,
  confidence,
  hlc: { wallMs: 1, counter },
  untilMs,
});

const anyFact = fc.record({
  id: fc.uuid(),
  valueKey: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0.1, 0.5, 0.9, 1),
  hlc: fc.record({ wallMs: fc.integer({ min: 1, max: 3 }), counter: fc.integer({ min: 0, max: 12 }) }),
  untilMs: fc.constantFrom(1, 5, 6, 7, 8, NEVER),
});
const anyPlace = fc.uniqueArray(anyFact, { selector: ({ id }) => id, maxLength: 12 });

/** What is judged at one instant: the values that reign, and whether anybody differs. */
interface Judgement {
  readonly winning: readonly string[];
  readonly contested: boolean;
}

const NOW = 4;

const judgedBy = (standing: Standing, atMs: number): Judgement => {
  const reigns = standing.reigns.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
  return {
    winning: [...new Set(reigns.map(({ valueKey }) => valueKey))].sort(),
    contested: contestedUntil(standing) > atMs,
  };
};

/** The rule itself, on the facts that are live at that instant. */
const judgedFrom = (facts: readonly LiveFact[], atMs: number): Judgement => {
  const live = facts.filter(({ untilMs }) => untilMs > atMs).sort(compareStrength);
  const winners = live.filter((one) => compareStrength(one, live[0] as LiveFact) === 0);
  return {
    winning: [...new Set(winners.map(({ valueKey }) => valueKey))].sort(),
    contested: new Set(live.map(({ valueKey }) => valueKey)).size > 1,
  };
};

describe('who reigns in a place', () => {
  it('has the higher confidence, even against a newer fact', () => {
    const standing = standingOf([fact('sure', 'a', 0.9, 1), fact('newer', 'b', 0.8, 2)], NOW);
    expect(judgedBy(standing, NOW)).to.deep.equal({ winning: ['a'], contested: true });
  });

  it('has the higher stamp when confidence is equal, compared as numbers: counter 10 beats counter 9', () => {
    const standing = standingOf([fact('ten', 'a', 1, 10), fact('nine', 'b', 1, 9)], NOW);
    expect(judgedBy(standing, NOW).winning).to.deep.equal(['a']);
  });

  it('reigns together with a fact that is exactly as strong', () => {
    const standing = standingOf([fact('x', 'a', 1, 1), fact('y', 'b', 1, 1)], NOW);
    expect(judgedBy(standing, NOW)).to.deep.equal({ winning: ['a', 'b'], contested: true });
  });

  it('is contested by nobody who says the same', () => {
    const standing = standingOf([fact('x', 'a', 1, 1), fact('y', 'a', 0.5, 2)], NOW);
    expect(judgedBy(standing, NOW)).to.deep.equal({ winning: ['a'], contested: false });
  });

  it('is the next strongest after its end, until nobody differs any more', () => {
    const standing = standingOf(
      [fact('first', 'a', 1, 9, 10), fact('next', 'b', 0.9, 1, 20), fact('last', 'a', 0.1, 1)],
      NOW,
    );
    const judged = [9, 10, 20].map((atMs) => judgedBy(standing, atMs));
    expect(judged).to.deep.equal([
      { winning: ['a'], contested: true },
      { winning: ['b'], contested: true },
      { winning: ['a'], contested: false },
    ]);
  });

  it('is what the rule says of the live facts, now and at any time to come, in whatever order they came', () => {
    fc.assert(
      fc.property(anyPlace, fc.infiniteStream(fc.nat()), (facts, dice) => {
        const shuffled = [...facts].sort(() => ((dice.next().value ?? 0) % 3) - 1);
        for (const order of [facts, shuffled]) {
          const standing = standingOf(order, NOW);
          for (let atMs = NOW; atMs < 10; atMs += 1) {
            expect(judgedBy(standing, atMs)).to.deep.equal(judgedFrom(facts, atMs));
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('leaves somebody to name for everyone who differs, as long as the place is contested', () => {
    fc.assert(
      fc.property(anyPlace, anyFact, (facts, newcomer) => {
        const live = facts.filter(({ untilMs }) => untilMs > NOW);
        const standing = standingOf(facts, NOW);
        if (contestedUntil(standing) <= NOW) return;
        const rival = lastingRival(standing, newcomer.valueKey);
        expect(rival?.valueKey).to.not.equal(newcomer.valueKey);
        expect(live.map(({ id }) => id)).to.include(rival?.id);
        expect(strongestRival(newcomer, live)).to.not.equal(undefined);
      }),
      { numRuns: RUNS },
    );
  });

  it('is not worked out beyond a number of changes, and then nobody reigns', () => {
    const stairs = Array.from({ length: MOST_REIGNS + 40 }, (_, at) =>
      fact(`f${at}`, `v${at}`, 1 - at / 1_000, 1, 100 + at),
    );
    for (const order of [stairs, [...stairs].reverse()]) {
      const standing = standingOf(order, NOW);
      expect(standing.reigns).to.have.length(MOST_REIGNS);
      expect(judgedBy(standing, 100 + MOST_REIGNS - 2).winning).to.deep.equal([`v${MOST_REIGNS - 1}`]);
      expect(judgedBy(standing, 100 + MOST_REIGNS).winning).to.deep.equal([]);
    }
  });
});
