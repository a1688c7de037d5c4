import { expect } from 'chai';
import fc from 'fast-check';
import { packHits, unpackHits } from '../../../../plugins/search/host/packed-hits.ts';
import { RUNS } from '../../../kit/property-runs.ts';

/** Identifiers of other nodes are any visible ASCII text. */
const id = fc
  .array(fc.integer({ min: 0x21, max: 0x7e }), { minLength: 1, maxLength: 128 })
  .map((codes) => String.fromCharCode(...codes));
const score = fc.double({ noNaN: true });
const hits = fc.array(fc.record({ id, score }));
const spread = fc.record({ count: fc.nat(), mean: score, deviation: score });
const answers = fc.array(
  fc.oneof(fc.record({ hits }), fc.record({ hits, spread }), fc.record({ hits, spread, before: fc.array(score) })),
);
const vector = fc.float32Array({ noNaN: true });
const plan = fc.array(
  fc.oneof(
    fc.record({ find: fc.constant('beside'), seeds: hits, limit: fc.nat() }),
    fc.record({
      find: fc.constant('spread'),
      vector,
      of: fc.record({ ids: fc.array(id), foundBy: fc.array(fc.nat()) }),
    }),
  ),
);

describe('search hits that are sent between threads', () => {
  it('are unchanged after packing, cloning and unpacking', () => {
    fc.assert(
      fc.property(answers, plan, (...messages) => {
        for (const message of messages) {
          expect(unpackHits(structuredClone(packHits(message)))).to.deep.equal(message);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
