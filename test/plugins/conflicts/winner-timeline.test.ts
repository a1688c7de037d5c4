import { expect } from 'chai';
import fc from 'fast-check';
import { compareStrength, strongestRival } from '../../../plugins/conflicts/strength.ts';
import {
  canTake,
  contestedUntil,
  EMPTY_TIMELINE,
  type LiveFact,
  lastingRival,
  MOST_WINS,
  NEVER,
  timelineOf,
  type WinnerTimeline,
  withFact,
} from '../../../plugins/conflicts/winner-timeline.ts';
import { RUNS } from '../../kit/property-runs.ts';

const fact = (
  id: string,
  valueKey: string,
  confidence: number,
  counter: number,
  untilMs = NEVER,
  fromMs = 0,
): LiveFact => ({
  id,
  valueKey,
  confidence,
  hlc: { wallMs: 1, counter },
  fromMs,
  untilMs,
});

const anyFact = fc.record({
  id: fc.uuid(),
  valueKey: fc.constantFrom('a', 'b', 'c'),
  confidence: fc.constantFrom(0.1, 0.5, 0.9, 1),
  hlc: fc.record({ wallMs: fc.integer({ min: 1, max: 3 }), counter: fc.integer({ min: 0, max: 12 }) }),
  fromMs: fc.constantFrom(0, 0, 0, 3, 5, 6, 8),
  untilMs: fc.constantFrom(1, 5, 6, 7, 8, NEVER),
});
const anyPlace = fc.uniqueArray(anyFact, { selector: ({ id }) => id, maxLength: 12 });

/** The state at one instant: the winning values, and whether a live fact differs. */
interface Judgement {
  readonly winning: readonly string[];
  readonly contested: boolean;
}

const NOW = 4;

const judgedBy = (timeline: WinnerTimeline, atMs: number): Judgement => {
  const wins = timeline.wins.filter(({ fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs);
  return {
    winning: [...new Set(wins.map(({ valueKey }) => valueKey))].sort(),
    contested: wins.some(({ contestedUntilMs }) => contestedUntilMs > atMs),
  };
};

/** The rule itself, applied to the facts that are live at that instant. */
const judgedFrom = (facts: readonly LiveFact[], atMs: number): Judgement => {
  const live = facts.filter(({ fromMs, untilMs }) => fromMs <= atMs && untilMs > atMs).sort(compareStrength);
  const winners = live.filter((one) => compareStrength(one, live[0] as LiveFact) === 0);
  return {
    winning: [...new Set(winners.map(({ valueKey }) => valueKey))].sort(),
    contested: new Set(live.map(({ valueKey }) => valueKey)).size > 1,
  };
};

describe('the winner among the facts of one triple and place', () => {
  it('has the higher confidence, even against a newer fact', () => {
    const timeline = timelineOf([fact('sure', 'a', 0.9, 1), fact('newer', 'b', 0.8, 2)], NOW);
    expect(judgedBy(timeline, NOW)).to.deep.equal({ winning: ['a'], contested: true });
  });

  it('has the higher stamp when confidence is equal, compared as numbers: counter 10 beats counter 9', () => {
    const timeline = timelineOf([fact('ten', 'a', 1, 10), fact('nine', 'b', 1, 9)], NOW);
    expect(judgedBy(timeline, NOW).winning).to.deep.equal(['a']);
  });

  it('wins together with every fact of equal confidence and stamp', () => {
    const timeline = timelineOf([fact('x', 'a', 1, 1), fact('y', 'b', 1, 1)], NOW);
    expect(judgedBy(timeline, NOW)).to.deep.equal({ winning: ['a', 'b'], contested: true });
  });

  it('is not contradicted by a fact with the same value', () => {
    const timeline = timelineOf([fact('x', 'a', 1, 1), fact('y', 'a', 0.5, 2)], NOW);
    expect(judgedBy(timeline, NOW)).to.deep.equal({ winning: ['a'], contested: false });
  });

  it('is followed by the next strongest fact when it expires; the contradiction ends with the last differing fact', () => {
    const timeline = timelineOf(
      [fact('first', 'a', 1, 9, 10), fact('next', 'b', 0.9, 1, 20), fact('last', 'a', 0.1, 1)],
      NOW,
    );
    const judged = [9, 10, 20].map((atMs) => judgedBy(timeline, atMs));
    expect(judged).to.deep.equal([
      { winning: ['a'], contested: true },
      { winning: ['b'], contested: true },
      { winning: ['a'], contested: false },
    ]);
  });

  it('follows the rule at every present and future instant, for any order of arrival', () => {
    fc.assert(
      fc.property(anyPlace, fc.infiniteStream(fc.nat()), (facts, dice) => {
        const shuffled = [...facts].sort(() => ((dice.next().value ?? 0) % 3) - 1);
        for (const order of [facts, shuffled]) {
          const timeline = timelineOf(order, NOW);
          for (let atMs = NOW; atMs < 10; atMs += 1) {
            expect(judgedBy(timeline, atMs)).to.deep.equal(judgedFrom(facts, atMs));
          }
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is a fact only from its valid_from on, and is contradicted only from then on', () => {
    const timeline = timelineOf([fact('now', 'a', 0.5, 1), fact('soon', 'b', 1, 2, 20, 10)], NOW);
    const judged = [NOW, 9, 10, 20].map((atMs) => judgedBy(timeline, atMs));
    expect(judged).to.deep.equal([
      { winning: ['a'], contested: false },
      { winning: ['a'], contested: false },
      { winning: ['b'], contested: true },
      { winning: ['a'], contested: false },
    ]);
  });

  it('can be updated from the new fact alone once all other facts have begun', () => {
    const timeline = timelineOf([fact('now', 'a', 0.5, 1), fact('soon', 'b', 1, 2, NEVER, 10)], NOW);
    const next = fact('next', 'c', 0.9, 3);
    expect(canTake(timeline, [next], 9)).to.equal(false);
    expect(canTake(timeline, [next], 10)).to.equal(true);
    expect(canTake(EMPTY_TIMELINE, [{ ...next, fromMs: 10 }], 9)).to.equal(false);
    const later = withFact(timeline, next, 10);
    expect(judgedBy(later, 10)).to.deep.equal({ winning: ['b'], contested: true });
  });

  it('is computed for a limited number of future beginnings', () => {
    const stairs = Array.from({ length: MOST_WINS + 40 }, (_, at) => fact(`f${at}`, `v${at}`, 1, at, NEVER, 100 + at));
    const timeline = timelineOf(stairs, NOW);
    expect(judgedBy(timeline, 100 + MOST_WINS - 1).winning).to.deep.equal([`v${MOST_WINS - 1}`]);
    expect(judgedBy(timeline, 100 + MOST_WINS).winning).to.deep.equal([]);
  });

  it('always has a live fact of another value while it is contradicted', () => {
    fc.assert(
      fc.property(anyPlace, anyFact, (facts, newcomer) => {
        const live = facts.filter(({ untilMs }) => untilMs > NOW);
        const timeline = timelineOf(facts, NOW);
        if (contestedUntil(timeline) <= NOW) return;
        const rival = lastingRival(timeline, newcomer.valueKey);
        expect(rival?.valueKey).to.not.equal(newcomer.valueKey);
        expect(live.map(({ id }) => id)).to.include(rival?.id);
        expect(strongestRival(newcomer, live)).to.not.equal(undefined);
      }),
      { numRuns: RUNS },
    );
  });

  it('is computed for a limited number of changes, after which there is no winner', () => {
    const stairs = Array.from({ length: MOST_WINS + 40 }, (_, at) =>
      fact(`f${at}`, `v${at}`, 1 - at / 1_000, 1, 100 + at),
    );
    for (const order of [stairs, [...stairs].reverse()]) {
      const timeline = timelineOf(order, NOW);
      expect(timeline.wins).to.have.length(MOST_WINS);
      expect(judgedBy(timeline, 100 + MOST_WINS - 2).winning).to.deep.equal([`v${MOST_WINS - 1}`]);
      expect(judgedBy(timeline, 100 + MOST_WINS).winning).to.deep.equal([]);
    }
  });
});
