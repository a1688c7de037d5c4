import { expect } from 'chai';
import { calibration, type ScoreOf } from '../../../plugins/recall/calibrate-similarity.ts';

const FLOOR = { similarityFloor: 0.2 };
/** A view of many facts, whose similarities to the query are 0.1 ± 0.1. */
const lying = (named: readonly number[], members = {}) => ({
  named,
  trust: 1,
  spread: { count: 512, mean: 0.1, deviation: 0.1, ...members },
});
const crowd = (best: number, others: number): number[] => [best, ...Array.from({ length: 20 }, () => others)];

describe('the calibration of vector similarities to scores', () => {
  it('scores a hit by how many deviations it lies above the mean of the view', () => {
    const scoreOf = calibration({ hits: crowd(0.6, 0.3), ...lying([]) }, FLOOR);
    expect(scoreOf(0.6)).to.be.closeTo(0.95, 0.02);
    expect(scoreOf(0.35)).to.be.closeTo(0.48, 0.03);
  });

  it('gives the same scores for a model with higher and closer similarities', () => {
    const wide = calibration({ hits: crowd(0.6, 0.3), ...lying([0.4]) }, FLOOR);
    const narrow = calibration(
      { hits: crowd(0.65, 0.62), ...lying([0.63], { mean: 0.6, deviation: 0.01 }) },
      { similarityFloor: 0.55 },
    );
    for (const deviations of [2, 3, 5]) {
      expect(narrow(0.6 + 0.01 * deviations)).to.be.closeTo(wide(0.1 + 0.1 * deviations), 0.08);
    }
  });

  it('gives vectors little weight if words found the same facts', () => {
    const scoreOf = calibration({ hits: crowd(0.6, 0.4), ...lying([0.6, 0.4, 0.4]) }, FLOOR);
    expect(scoreOf(0.6)).to.be.within(0.02, 0.2);
  });

  it('gives vectors more weight where hits of words are less trusted, and keeps the order of vectors', () => {
    const [found, low, none] = [1, 0.5, 0].map((trust) =>
      calibration({ hits: crowd(0.6, 0.4), ...lying([0.6, 0.4, 0.4]), trust }, FLOOR),
    ) as [ScoreOf, ScoreOf, ScoreOf];
    expect(low(0.6)).to.be.above(2 * found(0.6));
    expect(none(0.6)).to.be.above(low(0.6)).and.to.be.closeTo(0.95, 0.02);
    expect(none(0.5)).to.be.below(none(0.6));
  });

  it('gives vectors as much weight as words if one hit stands out from all others', () => {
    const scoreOf = calibration({ hits: crowd(0.7, 0.3), ...lying([0.1, 0.15, 0.05]) }, FLOOR);
    expect(scoreOf(0.7)).to.be.closeTo(0.95, 0.02);
  });

  it('ranks texts that nearly equal the query first, even if there are many', () => {
    const same = { named: [1, 1, 1], trust: 1, spread: { count: 100, mean: 1, deviation: 0 } };
    const scoreOf = calibration({ hits: crowd(1, 1), ...same }, FLOOR);
    expect(scoreOf(1)).to.equal(1);
    expect(scoreOf(0.99)).to.be.above(0.9);
  });

  it('gives valid scores even without any data', () => {
    const nothing = { count: 0, mean: 0, deviation: 0 };
    const scoreOf = calibration({ hits: [], named: [], trust: 1, spread: nothing }, FLOOR);
    for (const similarity of [0.2, 0.5, 1]) expect(scoreOf(similarity)).to.be.within(1e-3, 1);
    const one = calibration({ hits: [0.3], named: [], trust: 1, spread: { ...nothing, count: 1, mean: 0.3 } }, FLOOR);
    expect(one(0.3)).to.be.within(0.1, 1);
  });

  it('uses the query moved by feedback if the original query gives no clear hit', () => {
    const moved = { count: 512, mean: 0.2, deviation: 0.1 };
    const unsure = calibration({ hits: crowd(0.6, 0.4), ...lying([0.6, 0.4, 0.4]), moved }, FLOOR);
    expect(unsure(0.3, 0.6)).to.be.above(unsure(0.4, 0.3));
    expect(unsure(0.3, 0.6)).to.be.closeTo(unsure(0.5), 1e-3);
    const sure = calibration({ hits: crowd(0.7, 0.3), ...lying([0.1, 0.15, 0.05]), moved }, FLOOR);
    expect(sure(0.7, 0.2)).to.equal(sure(0.7));
  });

  it('keeps the order of similarities', () => {
    const scoreOf = calibration({ hits: crowd(0.7, 0.3), ...lying([0.3]) }, FLOOR);
    const scores = Array.from({ length: 81 }, (_, at) => scoreOf(0.2 + at / 100));
    expect(scores).to.deep.equal([...scores].sort((a, b) => a - b));
  });
});
