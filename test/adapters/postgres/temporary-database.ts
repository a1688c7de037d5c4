import { createPostgresStore, type PostgresStoreOptions } from '../../../adapters/postgres/create-postgres-store.ts';
import type { FactStore, OwnedMigration } from '../../../ports/ports.ts';
import type { StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { giveBack, takeDatabase } from '../../kit/node-database.ts';
import { createTestDatabase } from '../../kit/postgres-server.ts';
import { namesOf } from '../../kit/store-templates.ts';

export interface TemporaryDatabase extends StoreUnderTest {
  readonly url: string;
  another(options?: Partial<PostgresStoreOptions>): Promise<FactStore>;
}

/**
 * Creates a store on a separate database, which `stop` removes. With `migrations`, the store has them and is empty, on
 * the database of an earlier store where possible.
 */
export const createTemporaryDatabase = async (
  options: Partial<PostgresStoreOptions> = {},
  migrations?: readonly OwnedMigration[],
): Promise<TemporaryDatabase> => {
  const { remove, ...place } = migrations === undefined ? await emptyDatabase() : await filledDatabase(migrations);
  const stores: FactStore[] = [];
  const open = (more: Partial<PostgresStoreOptions>): FactStore => {
    const store = createPostgresStore({ ...place, ...more });
    stores.push(store);
    return store;
  };
  return {
    url: place.url,
    store: open(options),
    another: async (more = {}) => open(more),
    stop: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await remove();
    },
  };
};

/** The address of a database, how stores connect to it, and its end after they are closed. */
interface DatabasePlace extends Pick<PostgresStoreOptions, 'url' | 'driver'> {
  remove(): Promise<void>;
}

const emptyDatabase = async (): Promise<DatabasePlace> => {
  const { url, drop } = await createTestDatabase();
  return { url, remove: drop };
};

/** Takes a database without rows that has the tables of the migrations. `remove` gives it to later callers. */
export const filledDatabase = async (migrations: readonly OwnedMigration[]): Promise<DatabasePlace> => {
  const database = await takeDatabase(`migrations ${namesOf(migrations)}`);
  await database.fill(migrations);
  return { url: database.url, driver: database.driver, remove: () => giveBack(database) };
};
