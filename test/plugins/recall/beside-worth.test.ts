import { expect } from 'chai';
import fc from 'fast-check';
import { besideWorth } from '../../../plugins/recall/beside-worth.ts';

const seeds = (...scores: number[]) => scores.map((score, at) => ({ id: String(at), score }));
const crowd = (best: number, others: number) => seeds(best, ...Array.from({ length: 12 }, () => others));

describe('what stands beside the seeds', () => {
  it('is worth all where one seed stands out, or where there are few', () => {
    expect(besideWorth(crowd(1, 0.3))).to.equal(1);
    expect(besideWorth(seeds(1, 1, 1))).to.equal(1);
    expect(besideWorth([])).to.equal(1);
  });

  it('is worth less where ten seeds are alike, and never nothing', () => {
    expect(besideWorth(crowd(1, 0.9))).to.be.below(besideWorth(crowd(1, 0.7)));
    expect(besideWorth(crowd(1, 1))).to.be.within(0.01, 0.5);
  });

  it('is worth no more the more alike the seeds are, whatever they are scored by', () => {
    const share = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(share, share, fc.constantFrom(0.01, 1, 40), (a, b, best) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(besideWorth(crowd(best, best * more))).to.be.at.most(besideWorth(crowd(best, best * less)) + 1e-9);
      }),
    );
  });
});
