import { expect } from 'chai';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { StoreFeed } from '../../../kernel/facts/store-feed.ts';
import type { FactStore, StoredFact } from '../../../ports/ports.ts';
import { createManualClock } from '../../fakes/manual-clock.ts';
import { sampleFact, sampleId, storeFacts } from '../../kit/fact-samples.ts';
import { currentStore, forEachStore } from '../../kit/for-each-store.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { placeTestStore } from '../../kit/test-store.ts';

const NOBODY = { readIn: () => Promise.reject(new Error('nobody reads as a caller')) };
const START = { wallMs: 0, counter: 0 };

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

/** Returns all facts of the feed, as a new reader receives them. */
const readAll = async (feed: StoreFeed): Promise<readonly StoredFact[]> => {
  const read: StoredFact[] = [];
  const follower = feed.follow({ begin: () => START, take: async ({ facts }) => void read.push(...facts) });
  await follower.catchUp();
  await follower.stop();
  return read;
};

forEachStore('a feed after an erasure', () => {
  for (const who of ['this process', 'another one'] as const) {
    it(`contains nothing of erased facts that this process has committed and ${who} has erased`, () =>
      withStores(async (store, another) => {
        const feed = new StoreFeed({ store, clock: createManualClock(), facts: NOBODY });
        const lasting = feed.follow({ begin: () => START, take: async () => {} });
        const facts = [sampleFact(1), sampleFact(2), sampleFact(3)];
        await storeFacts(store, facts);
        feed.committed(facts);
        expect(await readAll(feed)).to.deep.equal(facts);
        await (who === 'this process' ? store : another).write('default', (transaction) =>
          transaction.erase([{ id: sampleId(2), commitment: Buffer.alloc(32, 1) }]),
        );
        const read = await readAll(feed);
        expect(read.map(({ id, value, cid }) => [id, value.v, cid])).to.deep.equal([
          [facts[0]?.id, facts[0]?.value.v, facts[0]?.cid],
          [sampleId(2), null, ''],
          [facts[2]?.id, facts[2]?.value.v, facts[2]?.cid],
        ]);
        await lasting.stop();
      }));
  }
});
