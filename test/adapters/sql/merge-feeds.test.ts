import { expect } from 'chai';
import fc from 'fast-check';
import { type FeedPart, mergeFeeds } from '../../../adapters/sql/merge-feeds.ts';
import type { FeedEntry } from '../../../ports/ports.ts';
import { RUNS } from '../../kit/property-runs.ts';

/** Feeds of several tenants, numbered across all of them, with a count of the entries that were read. */
const feedsOf = (tenants: readonly string[]) => {
  const entries = tenants.map((tenantId, at): FeedEntry => {
    const stamp = { wallMs: Math.floor(at / 3), counter: at % 3 };
    return { stamp, kind: 'fact', subjectId: `f${at}`, tenantId };
  });
  let count = 0;
  const isAfter = ({ stamp }: FeedEntry, { after }: FeedPart): boolean =>
    stamp.wallMs > after.wallMs || (stamp.wallMs === after.wallMs && stamp.counter > after.counter);
  const read = async (parts: readonly FeedPart[]) =>
    parts.map((part) => {
      const own = entries.filter((entry) => entry.tenantId === part.tenantId && isAfter(entry, part));
      const some = own.slice(0, part.limit);
      count += some.length;
      return some;
    });
  return { entries, read, count: () => count };
};

const START = { wallMs: -1, counter: 0 };

describe('mergeFeeds', () => {
  it('returns the first entries across all feeds in order, for any distribution', async () => {
    const tenant = fc.constantFrom('a', 'b', 'c', 'd', 'e');
    await fc.assert(
      fc.asyncProperty(fc.array(tenant, { maxLength: 60 }), fc.integer({ min: 1, max: 20 }), async (tenants, limit) => {
        const { entries, read } = feedsOf(tenants);
        const merged = await mergeFeeds([...new Set(tenants)], { after: START, limit }, read);
        expect(merged).to.deep.equal(entries.slice(0, limit));
      }),
      { numRuns: RUNS },
    );
  });

  it('reads about two pages to return one, also with many tenants', async () => {
    const tenants = Array.from({ length: 20_000 }, (_, at) => `t${at % 200}`);
    const { read, count, entries } = feedsOf(tenants);
    const merged = await mergeFeeds([...new Set(tenants)], { after: START, limit: 500 }, read);
    expect(merged).to.deep.equal(entries.slice(0, 500));
    expect(count()).to.be.at.most(1_000);
  });

  it('reads little from other feeds when one tenant has all new entries', async () => {
    const others = Array.from({ length: 100 }, (_, at) => `t${at}`);
    const { read, count } = feedsOf([...Array.from({ length: 1_000 }, () => 'busy'), ...others]);
    await mergeFeeds([...others, 'busy'], { after: START, limit: 500 }, read);
    expect(count()).to.be.at.most(500 + 512 + others.length * 10);
  });
});
