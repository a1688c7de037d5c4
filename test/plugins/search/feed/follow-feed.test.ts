import { expect } from 'chai';
import fc from 'fast-check';
import { CORE_MIGRATIONS } from '../../../../adapters/sql/core-migrations.ts';
import { StoreFeed } from '../../../../kernel/facts/store-feed.ts';
import { createServiceNames } from '../../../../kernel/identity/service-names.ts';
import { IndexFeed } from '../../../../plugins/search/feed/follow-feed.ts';
import { LocalHost } from '../../../../plugins/search/host/local-host.ts';
import type { SearchView } from '../../../../plugins/search/search-api.ts';
import type { FactQuery, FactStore, Snapshot, StoredFact } from '../../../../ports/ports.ts';
import { findNewest } from '../../../contract/search-index/ask-index.ts';
import { createManualClock } from '../../../fakes/manual-clock.ts';
import { idsOf, SAMPLE_MS, sampleCover, sampleFact, sampleId, stamp, storeFacts } from '../../../kit/fact-samples.ts';
import { currentStore, forEachStore } from '../../../kit/for-each-store.ts';
import { rejection } from '../../../kit/rejection.ts';
import { inTemporaryFolder } from '../../../kit/temporary-folder.ts';
import { placeTestStore } from '../../../kit/test-store.ts';
import { TEST_SEED } from '../index/test-seed.ts';
import { SAMPLE_VIEW } from '../sample-view.ts';

/** A principal that must not be used, because the feed is followed without a caller. */
const NOBODY = { readIn: () => Promise.reject(new Error('nobody reads as a caller')) };
const NAMES = createServiceNames('tester');

/** A store that counts reads, and fails on request. */
class WatchedStore {
  finds = 0;
  reads = 0;
  isBroken = false;
  /** The largest number of characters of values that one call returned. */
  mostCharacters = 0;
  readonly #store: FactStore;

  constructor(store: FactStore) {
    this.#store = store;
  }

  async read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    this.reads += 1;
    if (this.isBroken) throw new Error('the store is broken');
    return this.#store.read((snapshot) =>
      work(
        new Proxy(snapshot, {
          get: (target, member) => {
            const value = Reflect.get(target, member) as unknown;
            if (member === 'find') return (query: FactQuery) => this.#find(target, query);
            return typeof value === 'function' ? value.bind(target) : value;
          },
        }),
      ),
    );
  }

  async #find(target: Snapshot, query: FactQuery): Promise<StoredFact[]> {
    this.finds += 1;
    const facts = await target.find(query);
    const characters = facts.reduce((sum, { value }) => sum + String(value.v).length, 0);
    this.mostCharacters = Math.max(this.mostCharacters, characters);
    return facts;
  }
}

const withStores = (work: (store: FactStore, another: FactStore) => Promise<void>): Promise<void> =>
  inTemporaryFolder(async (folder) => {
    const place = await placeTestStore(currentStore(), folder);
    const [store, another] = [place.open(), place.open()];
    try {
      await store.migrate(CORE_MIGRATIONS);
      await work(store, another);
    } finally {
      await Promise.all([store.close(), another.close()]);
      await place.remove();
    }
  });

const follow = (store: FactStore) => {
  const watched = new WatchedStore(store);
  const index = new LocalHost(TEST_SEED);
  const errors: unknown[] = [];
  const feed = new StoreFeed({ store: watched as unknown as FactStore, clock: createManualClock(), facts: NOBODY });
  const follower = new IndexFeed({
    feed,
    index,
    names: NAMES,
    onError: (error) => void errors.push(error),
  });
  const found = async (view: Partial<SearchView> = {}): Promise<string[]> => {
    await follower.catchUp();
    return idsOf(await findNewest(index, { ...SAMPLE_VIEW, ...view }, 10_000)).reverse();
  };
  return { watched, index, feed, follower, found, errors };
};

const numbered = (from: number, count: number): StoredFact[] =>
  Array.from({ length: count }, (_, at) => sampleFact(from + at));

const TTL = NAMES.meta('ttl');
const lifeOf = (n: number, entity: string): StoredFact =>
  sampleFact(n, { entity, entityKey: entity, relation: TTL, relationKey: TTL, system: true });

forEachStore('a search index that follows the feed', () => {
  it('contains every fact that any process committed before the call', () =>
    withStores(async (store, another) => {
      const { found } = follow(store);
      expect(await found()).to.deep.equal([]);
      await storeFacts(store, [sampleFact(1)]);
      expect(await found()).to.deep.equal([sampleId(1)]);
      await storeFacts(another, [sampleFact(2)]);
      await storeFacts(store, [sampleFact(3)]);
      expect(await found()).to.deep.equal([1, 2, 3].map(sampleId));
    }));

  it('reads a long feed in pages', () =>
    withStores(async (store) => {
      const facts = numbered(1, 1_500);
      await storeFacts(store, facts);
      const { found, follower } = follow(store);
      expect(await found()).to.deep.equal(idsOf(facts));
      expect(follower.applied).to.deep.equal(stamp(1_500));
    }));

  it('indexes much text piece by piece, and yields to other work in between', () =>
    withStores(async (store) => {
      const v = 'harbour '.repeat(20_000);
      const facts = numbered(1, 20).map((fact): StoredFact => ({ ...fact, value: { ...fact.value, type: 'text', v } }));
      await storeFacts(store, facts);
      const { found, index } = follow(store);
      const seen = new Set<number>();
      let isDone = false;
      const look = (): void => {
        seen.add(index.size.facts);
        if (!isDone) setImmediate(look);
      };
      look();
      expect(await found()).to.deep.equal(idsOf(facts));
      isDone = true;
      expect([...seen].filter((size) => size > 0 && size < facts.length)).to.have.length.above(2);
    }));

  it('reads only as many facts at once as fit into memory, however short earlier facts were', () =>
    withStores(async (store) => {
      const v = 'x'.repeat(2 ** 20);
      const long = numbered(601, 24).map(
        (fact): StoredFact => ({ ...fact, value: { ...fact.value, type: 'text', v } }),
      );
      const facts = [...numbered(1, 600), ...long];
      await storeFacts(store, facts);
      const { found, watched } = follow(store);
      expect(await found()).to.deep.equal(idsOf(facts));
      expect(watched.mostCharacters).to.be.at.most(6 * 2 ** 20);
      expect(watched.mostCharacters).to.be.at.least(2 ** 20);
    }));

  it('does not read the commits of this process again, in any order of events', () =>
    withStores(async (store) => {
      const { found, feed, watched } = follow(store);
      const facts = numbered(1, 6);
      await storeFacts(store, facts.slice(0, 3));
      feed.committed(facts.slice(1, 3));
      feed.committed(facts.slice(0, 1));
      expect(await found()).to.deep.equal(idsOf(facts.slice(0, 3)));
      expect(watched.finds).to.equal(0);
      await storeFacts(store, facts.slice(3));
      feed.committed(facts.slice(4));
      feed.committed(facts.slice(0, 3));
      expect(await found()).to.deep.equal(idsOf(facts));
      expect(watched.finds).to.equal(1);
    }));

  it('relies on the feed if events contradict it', () =>
    withStores(async (store) => {
      const { found, feed } = follow(store);
      feed.committed([sampleFact(7)]);
      await storeFacts(store, [sampleFact(1)]);
      expect(await found()).to.deep.equal([sampleId(1)]);
    }));

  it('indexes many committed facts without a search', () =>
    withStores(async (store) => {
      const { feed, follower, index, watched } = follow(store);
      const facts = numbered(1, 400);
      await storeFacts(store, facts);
      feed.committed(facts);
      // Resolves after the current turn.
      await follower.catchUp();
      expect(index.size.facts).to.equal(400);
      expect(watched.finds).to.equal(0);
    }));

  it('applies covers and times to live together with the facts that bring them', () =>
    withStores(async (store, another) => {
      const { found, feed } = follow(store);
      await storeFacts(store, [sampleFact(1), sampleFact(2, { relationKey: 'memory:note' })]);
      expect(await found()).to.have.length(2);
      const retraction = sampleFact(3, { confidence: 0 });
      const life = lifeOf(4, NAMES.factEntity(sampleId(2)));
      await another.write('default', async (transaction) => {
        await transaction.insert([retraction, life]);
        await transaction.cover([sampleCover(retraction.id, retraction.hlc)]);
        await transaction.setExpiry(sampleId(2), SAMPLE_MS + 50, life.hlc);
      });
      feed.committed([retraction, life]);
      expect(await found()).to.deep.equal([sampleId(2)]);
      expect(await found({ nowMs: SAMPLE_MS + 50 })).to.deep.equal([]);
      const afresh = follow(store);
      expect(await afresh.found()).to.deep.equal([sampleId(2)]);
      expect(await afresh.found({ nowMs: SAMPLE_MS + 50 })).to.deep.equal([]);
    }));

  it('keeps times to live that were replaced, read one by one or all at once', () =>
    withStores(async (store) => {
      const following = follow(store);
      const lives = new Map([50, 900, 400].map((lifeMs, at) => [at + 2, lifeMs]));
      await storeFacts(store, [sampleFact(1)]);
      for (const [n, lifeMs] of lives) {
        const life = lifeOf(n, NAMES.factEntity(sampleId(1)));
        await store.write('default', async (transaction) => {
          await transaction.insert([life]);
          await transaction.setExpiry(sampleId(1), SAMPLE_MS + lifeMs, life.hlc);
        });
        await following.found();
      }
      for (const { found } of [following, follow(store)]) {
        for (const [n, lifeMs] of lives) {
          expect(await found({ asOf: stamp(n), nowMs: SAMPLE_MS + lifeMs - 1 })).to.deep.equal([sampleId(1)]);
          expect(await found({ asOf: stamp(n), nowMs: SAMPLE_MS + lifeMs })).to.deep.equal([]);
        }
      }
    }));

  it('applies a cover from its stamp on, even if it reads the cover earlier', () =>
    withStores(async (store) => {
      await storeFacts(store, numbered(1, 700));
      await store.write('default', async (transaction) => {
        await transaction.cover([
          { ...sampleCover(sampleId(3), stamp(3)), since: stamp(650) },
          { ...sampleCover(sampleId(600), stamp(600)), since: stamp(600) },
        ]);
      });
      const { found } = follow(store);
      const at = (n: number) => found({ asOf: stamp(n), nowMs: 0 });
      expect(await found({ nowMs: 0 })).to.deep.equal(idsOf(numbered(600, 101)));
      expect(await at(4)).to.deep.equal(idsOf(numbered(1, 4)));
      expect(await at(599)).to.deep.equal(idsOf(numbered(1, 599)));
      expect(await at(600)).to.deep.equal(idsOf(numbered(600, 1)));
      expect(await at(650)).to.deep.equal(idsOf(numbered(600, 51)));
    }));

  it('shares one read of the store among calls that wait together', () =>
    withStores(async (store) => {
      const { follower, watched, index } = follow(store);
      await storeFacts(store, [sampleFact(1)]);
      await Promise.all(Array.from({ length: 50 }, () => follower.catchUp()));
      expect(index.size.facts).to.equal(1);
      // The epoch and a page for the first call, and a page that the other calls share.
      expect(watched.reads).to.equal(3);
    }));

  it('reports a failure of the store, and then continues where it stopped', () =>
    withStores(async (store) => {
      const { feed, follower, watched, found, errors } = follow(store);
      await storeFacts(store, numbered(1, 3));
      watched.isBroken = true;
      expect((await rejection(follower.catchUp())).message).to.include('broken');
      const facts = numbered(4, 300);
      await storeFacts(store, facts);
      feed.committed(facts);
      await rejection(follower.catchUp());
      watched.isBroken = false;
      expect(await found()).to.have.length(303);
      expect(errors).to.have.length(1);
    }));
});

describe('the state of an index that follows the feed', () => {
  it('is the same for any order of writes, notifications and searches', () =>
    withStores(async (store) => {
      let next = 1;
      const { feed, follower, found } = follow(store);
      const step = fc.record({ count: fc.integer({ min: 1, max: 5 }), told: fc.boolean(), asked: fc.boolean() });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 6 }), async (steps) => {
          const asked: Promise<void>[] = [];
          for (const { count, told, asked: isAsked } of steps) {
            const facts = numbered(next, count);
            next += count;
            await storeFacts(store, facts);
            if (told) feed.committed(facts);
            if (isAsked) asked.push(follower.catchUp());
          }
          await Promise.all(asked);
          expect(await found()).to.deep.equal(idsOf(numbered(1, next - 1)));
        }),
        { numRuns: 25 },
      );
    }));
});
