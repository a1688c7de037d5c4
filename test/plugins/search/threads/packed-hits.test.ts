import { expect } from 'chai';
import fc from 'fast-check';
import {
  packAround,
  packHits,
  packLooked,
  unpackAround,
  unpackHits,
  unpackLooked,
} from '../../../../plugins/search/host/packed-hits.ts';
import { RUNS } from '../../../kit/property-runs.ts';

/** Identifiers of other nodes are any visible ASCII. */
const id = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 128 })
  .map((codes) => String.fromCharCode(...codes));
const score = fc.double({ noNaN: true });
const hits = fc.array(fc.record({ id, score }));
const spread = fc.record({ count: fc.nat(), mean: score, deviation: score });
const similar = fc.array(fc.record({ id, before: score, after: score }));
const feedback = fc.option(fc.record({ similarities: similar, spread }));

describe('hits between threads', () => {
  it('are the same once they were packed, cloned and unpacked', () => {
    fc.assert(
      fc.property(
        fc.record({ hits, spread, similarities: hits, feedback }),
        fc.array(fc.record({ id, share: score })),
        (looked, together) => {
          const around = { hits: looked.hits, together };
          expect(unpackHits(structuredClone(packHits(looked.hits)))).to.deep.equal(looked.hits);
          expect(unpackLooked(structuredClone(packLooked(looked)))).to.deep.equal(looked);
          expect(unpackAround(structuredClone(packAround(around)))).to.deep.equal(around);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
