import { expect } from 'chai';
import fc from 'fast-check';
import { entryId, numberBound, tailOf } from '../../../plugins/audit/entry-id.ts';
import { RUNS } from '../../kit/property-runs.ts';

const number = fc.oneof(fc.maxSafeNat(), fc.nat(20_000));
const uuid = fc.uuid({ version: [1, 4, 7, 8] });
const id = fc.oneof(
  uuid,
  fc.tuple(number, uuid).map(([of, other]) => entryId(of, tailOf(other))),
);

describe('the identifier of an audit entry', () => {
  it('is a UUID', () => {
    fc.assert(
      fc.property(number, uuid, (of, other) => {
        expect(entryId(of, tailOf(other))).to.match(
          /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
        );
      }),
      { numRuns: RUNS },
    );
  });

  it('comes in the order of the numbers', () => {
    fc.assert(
      fc.property(number, number, uuid, uuid, (one, other, tail, otherTail) => {
        fc.pre(one !== other);
        expect(entryId(one, tailOf(tail)) < entryId(other, tailOf(otherTail))).to.equal(one < other);
      }),
      { numRuns: RUNS },
    );
  });

  it('tells which numbers come before it, whatever identifier it is', () => {
    fc.assert(
      fc.property(id, number, uuid, (of, candidate, tail) => {
        const bound = numberBound(of);
        const close = [candidate, bound - 1, bound, bound + 1].filter((each) => each >= 0 && each <= 2 ** 53 - 1);
        for (const each of close) {
          const other = entryId(each, tailOf(tail));
          // Entries of one tenant never share a number.
          if (other.slice(0, 18) === of.slice(0, 18)) continue;
          expect(other < of, `${each}`).to.equal(each < bound);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
