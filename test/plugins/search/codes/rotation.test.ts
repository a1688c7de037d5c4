import { expect } from 'chai';
import fc from 'fast-check';
import { rotate, rotateBack } from '../../../../plugins/search/codes/rotation.ts';
import { RUNS } from '../../../kit/property-runs.ts';
import { unitVectors } from './unit-vectors.ts';

const PRECISION = 1e-5;

const product = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, component, at) => sum + component * (b[at] as number), 0);

describe('the rotation of vectors', () => {
  it('keeps every product, and can be undone', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_100 }), fc.integer(), (dimensions, seed) => {
        const draw = unitVectors(dimensions, seed);
        const [a, b] = [draw(), draw()];
        expect(product(rotate(a), rotate(b))).to.be.closeTo(product(a, b), PRECISION);
        const back = rotateBack(rotate(a));
        expect(Math.max(...back.map((component, at) => Math.abs(component - (a[at] as number))))).to.be.below(
          PRECISION,
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('spreads a single component over all of a rotated vector, by any number of dimensions', () => {
    for (const dimensions of [256, 384, 768, 1_000, 1_024]) {
      for (const at of [0, 200, dimensions - 1]) {
        const axis = new Float32Array(dimensions);
        axis[at] = 1;
        const largest = Math.max(...rotate(axis).map(Math.abs));
        expect(largest).to.be.below(6 / Math.sqrt(dimensions));
      }
    }
  });
});
