import { createPostgresStore, type PostgresStoreOptions } from '../../../adapters/postgres/create-postgres-store.ts';
import type { FactStore } from '../../../ports/ports.ts';
import type { StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { createTestDatabase } from '../../kit/postgres-server.ts';

export interface TemporaryDatabase extends StoreUnderTest {
  readonly url: string;
  another(options?: Partial<PostgresStoreOptions>): Promise<FactStore>;
}

/** Creates a store on a separate database, which `stop` removes. */
export const createTemporaryDatabase = async (
  options: Partial<PostgresStoreOptions> = {},
): Promise<TemporaryDatabase> => {
  const database = await createTestDatabase();
  const stores: FactStore[] = [];
  const open = (more: Partial<PostgresStoreOptions>): FactStore => {
    const store = createPostgresStore({ url: database.url, ...more });
    stores.push(store);
    return store;
  };
  return {
    url: database.url,
    store: open(options),
    another: async (more = {}) => open(more),
    stop: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await database.drop();
    },
  };
};
