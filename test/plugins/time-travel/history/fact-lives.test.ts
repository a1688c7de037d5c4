import { expect } from 'chai';
import type { FactOutline } from '../../../../kernel/plugin-api.ts';
import { livesOf, MOST_TIED, winningPeriods } from '../../../../plugins/time-travel/history/fact-lives.ts';

const START_MS = 1_000_000_000_000;
const stamp = (ms: number) => ({ wallMs: START_MS + ms, counter: 0 });
const idOf = (n: number): string => `fact-${String(n).padStart(3, '0')}`;

const outline = (n: number, members: Partial<FactOutline>): FactOutline =>
  ({ id: idOf(n), confidence: 0.5, hlc: stamp(n), feed: stamp(n), validUntilMs: null, ...members }) as FactOutline;

const periods = (facts: readonly FactOutline[]) => winningPeriods(livesOf(facts, [], []), START_MS + 1_000_000);

describe('The winner of a triple', () => {
  it('is the fact of the higher confidence, then of the higher stamp', () => {
    const found = periods([
      outline(0, { confidence: 0.9, validUntilMs: START_MS + 10 }),
      outline(1, {}),
      outline(2, {}),
    ]);
    expect(found).to.deep.equal([
      { factIds: [idOf(0)], from: stamp(0), until: stamp(10) },
      { factIds: [idOf(2)], from: stamp(10), until: null },
    ]);
  });

  it('includes all facts of an exact tie, but only the first of very many', () => {
    const few = periods([outline(1, { hlc: stamp(0) }), outline(0, {})]);
    expect(few.map(({ factIds }) => factIds)).to.deep.equal([[idOf(0)], [idOf(0), idOf(1)]]);
    const many = Array.from({ length: 500 }, (_, n) =>
      outline(n, { hlc: stamp(0), validUntilMs: START_MS + 1_000 + n }),
    );
    const found = periods(many);
    expect(found.every(({ factIds }) => factIds.length <= MOST_TIED)).to.equal(true);
    expect(JSON.stringify(found).length).to.be.below(500_000);
  });
});
