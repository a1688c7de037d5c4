import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import type { FactStore, OwnedMigration } from '../../ports/ports.ts';
import { describeBoundedPages } from './fact-store/bounded-pages.ts';
import { describeCachedFacts } from './fact-store/cached-facts.ts';
import { describeErasure } from './fact-store/erasure.ts';
import { describeFacts } from './fact-store/facts.ts';
import { describeFeedAndClock } from './fact-store/feed-and-clock.ts';
import { describeLedger } from './fact-store/ledger.ts';
import { describeLiveness } from './fact-store/liveness.ts';
import { describeMigrations } from './fact-store/migrations.ts';
import { describePeriods } from './fact-store/periods.ts';
import { describeReads } from './fact-store/reads.ts';
import { describeRemovedTenants } from './fact-store/removed-tenants.ts';
import { describeSearch } from './fact-store/search.ts';
import { describeSignals } from './fact-store/signals.ts';
import { describeTables } from './fact-store/tables.ts';
import { describeTripleOrder } from './fact-store/triple-order.ts';
import { describeWrites } from './fact-store/writes.ts';

/** An empty store without tables, and the means to reopen it. */
export interface StoreUnderTest {
  readonly store: FactStore;
  /** Opens another store on the same data, as another process would. */
  another(): Promise<FactStore>;
  /** Closes every opened store, and removes the data. */
  stop(): Promise<void>;
}

/** Returns the store of the running test case. */
export type CurrentStore = () => StoreUnderTest;

/**
 * Creates an empty store without tables. With `migrations`, which the suite applies next, it may copy an empty store
 * that already has them.
 */
export type CreateStore = (migrations?: readonly OwnedMigration[]) => Promise<StoreUnderTest>;

/** The contract of every fact store, on any engine. Each case gets an empty store. */
export const describeFactStore = (name: string, create: CreateStore): void => {
  describe(`fact store: ${name}`, () => {
    let current: StoreUnderTest | undefined;
    const running: CurrentStore = () => current as StoreUnderTest;
    const startWith = async (migrations?: readonly OwnedMigration[]): Promise<void> => {
      current = await create(migrations);
    };
    afterEach(async () => {
      await current?.stop();
      current = undefined;
    });

    describe('before migration', () => {
      beforeEach(() => startWith());

      describeMigrations(running);
    });

    describe('after migration', () => {
      beforeEach(async () => {
        await startWith(CORE_MIGRATIONS);
        await running().store.migrate(CORE_MIGRATIONS);
      });

      describeReads(running);
      describeWrites(running);
      describeFacts(running);
      describeErasure(running);
      describeLedger(running);
      describeSearch(running);
      describeTripleOrder(running);
      describeBoundedPages(running);
      describeLiveness(running);
      describeCachedFacts(running);
      describeFeedAndClock(running);
      describeTables(running);
      describePeriods(running);
      describeSignals(running);
      describeRemovedTenants(running);
    });
  });
};
