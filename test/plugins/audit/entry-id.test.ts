import { expect } from 'chai';
import fc from 'fast-check';
import { factEntryId, feedOfEntry } from '../../../plugins/audit/entry-id.ts';
import { RUNS } from '../../kit/property-runs.ts';

const COUNTERS = 2 ** 31 - 1;
const counter = fc.oneof(fc.nat(COUNTERS), fc.nat(20_000));
const idOf = (factId: string, counter: number) =>
  factEntryId({ tenantId: 'default', factId, feed: { wallMs: 1, counter } });

describe('the identifier of an audit entry of a fact', () => {
  it('is a UUID that never changes', () => {
    fc.assert(
      fc.property(fc.uuid(), counter, (factId, of) => {
        expect(idOf(factId, of)).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
        expect(idOf(factId, of)).to.equal(idOf(factId, of));
      }),
      { numRuns: RUNS },
    );
  });

  it('sorts like the feed among entries of one instant', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), counter, counter, (one, other, first, second) => {
        fc.pre(first !== second);
        expect(idOf(one, first) < idOf(other, second)).to.equal(first < second);
      }),
      { numRuns: RUNS },
    );
  });

  it('converts any identifier to the feed stamp of its sort position', () => {
    fc.assert(
      fc.property(
        fc.uuid(),
        fc.oneof(
          fc.uuid(),
          counter.map((of) => idOf('f', of)),
        ),
        counter,
        (factId, id, of) => {
          const feed = feedOfEntry(1, id);
          expect(feed.counter).to.be.within(0, COUNTERS);
          if (of < feed.counter) expect(idOf(factId, of) < id).to.equal(true);
          if (of > feed.counter) expect(idOf(factId, of) < id).to.equal(false);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('differs between tenants, facts and nodes', () => {
    const feed = { wallMs: 1, counter: 0 };
    const ids = [
      { tenantId: 'a', factId: 'x', feed },
      { tenantId: 'b', factId: 'x', feed },
      { tenantId: 'a', factId: 'y', feed },
      { tenantId: 'a', factId: 'x', feed: { wallMs: 2, counter: 0 } },
    ].map(factEntryId);
    expect(new Set(ids).size).to.equal(4);
  });
});
