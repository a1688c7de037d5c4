import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createSqliteStore, type SqliteStoreOptions } from '../../../adapters/sqlite/create-sqlite-store.ts';
import type { FactStore, OwnedMigration } from '../../../ports/ports.ts';
import type { StoreUnderTest } from '../../contract/fact-store-contract.ts';
import { fillFile } from '../../kit/store-templates.ts';

export type SqliteLayout = NonNullable<SqliteStoreOptions['writer']>;

/** The layouts of SQLite access: in the thread of the caller, or in a thread of its own. */
export const SQLITE_LAYOUTS: readonly SqliteLayout[] = ['inline', 'thread'];

export interface TemporaryStore extends StoreUnderTest {
  readonly path: string;
  another(options?: Partial<SqliteStoreOptions>): Promise<FactStore>;
}

/**
 * Creates a store in a folder of its own, which `stop` removes. Other stores on the file use the same layout. With
 * `migrations`, the store is a copy of an empty one that has them.
 */
export const createTemporaryStore = async (
  options: Partial<SqliteStoreOptions> = {},
  migrations?: readonly OwnedMigration[],
): Promise<TemporaryStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'fact-store-'));
  const path = join(folder, 'data', 'facts.db');
  if (migrations !== undefined) {
    await mkdir(dirname(path));
    await fillFile(path, migrations);
  }
  const stores: FactStore[] = [];
  const open = (more: Partial<SqliteStoreOptions>): FactStore => {
    const { writer = 'inline' } = options;
    const store = createSqliteStore({ path, writer, ...more });
    stores.push(store);
    return store;
  };
  return {
    path,
    store: open(options),
    another: async (more = {}) => open(more),
    stop: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await rm(folder, { recursive: true, force: true });
    },
  };
};
