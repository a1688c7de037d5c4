import { postgresAdapter } from '../../../adapters/postgres/postgres-adapter.ts';
import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import type { FactStore } from '../../../ports/ports.ts';
import { describeTables } from '../../contract/fact-store/tables.ts';
import { describeWrites } from '../../contract/fact-store/writes.ts';
import { describeFactStore, type StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { createTemporaryDatabase, filledDatabase } from './temporary-database.ts';

const LIMITS = { poolSize: 4, lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 };
const CLOCK = { nowMs: Date.now, monotonicMs: () => performance.now(), schedule: () => () => undefined };
const PARTS = { clock: CLOCK, fraction: Math.random, report: () => undefined, processes: 1, cacheBytes: 2 ** 20 };

/** Creates the store as a configuration does, which does not track its writes. */
const createByAdapter = async (): Promise<StoreUnderTest> => {
  const { url, remove } = await filledDatabase(CORE_MIGRATIONS);
  const stores: FactStore[] = [];
  const open = async (): Promise<FactStore> => {
    const store = await postgresAdapter.create({ url, dataFolder: '.', ...LIMITS }, PARTS);
    stores.push(store);
    return store;
  };
  return {
    store: await open(),
    another: open,
    stop: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await remove();
    },
  };
};

describeFactStore('PostgreSQL', (migrations) => createTemporaryDatabase({}, migrations));

describe('the published PostgreSQL adapter', () => {
  let current: StoreUnderTest;
  beforeEach(async () => {
    current = await createByAdapter();
    await current.store.migrate(CORE_MIGRATIONS);
  });
  afterEach(() => current.stop());

  describeWrites(() => current);
  describeTables(() => current);
});
