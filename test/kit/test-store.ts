import { join } from 'node:path';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { FactStore, OwnedMigration } from '../../ports/ports.ts';
import type { StoreKind } from './for-each-store.ts';
import { createTestDatabase, type TestDatabase } from './postgres-server.ts';
import { fillDatabase, fillFile } from './store-templates.ts';
import { currentWriter } from './writer-thread.ts';

/** Where the store of a test is. */
export interface TestStore {
  /** The `store` part of the adapters in a configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Gives an empty place the tables that these migrations make, if it can do so sooner than they do. */
  fill(migrations: readonly OwnedMigration[]): Promise<void>;
  /** A new store on the data. */
  open(): FactStore;
  /** Removes everything outside the folder. */
  remove(): Promise<void>;
}

/** Finds the store of a folder, or makes an empty one: a file in it, or a database of its own. */
export const placeTestStore = async (kind: StoreKind, folder: string): Promise<TestStore> => {
  if (kind === 'sqlite') {
    const path = join(folder, 'node.db');
    return {
      // The same layout on every machine; suites of both say which one they mean.
      settings: { use: 'sqlite', path, writer: currentWriter() },
      fill: (migrations) => fillFile(path, migrations),
      open: () => createSqliteStore({ path, watchNesting: true, writer: currentWriter() }),
      remove: async () => {},
    };
  }
  const place = placeOf(folder);
  const database = await place.database;
  const { url } = database;
  return {
    settings: { use: 'postgres', url, dataFolder: folder },
    // Once, and all nodes that start on the folder at once wait for it.
    fill: (migrations) => {
      place.filled ??= fillDatabase(database, migrations);
      return place.filled;
    },
    open: () => {
      place.filled ??= Promise.resolve();
      return createPostgresStore({ url, watchNesting: true });
    },
    remove: async () => {
      databases.delete(folder);
      await database.drop();
    },
  };
};

interface DatabasePlace {
  readonly database: Promise<TestDatabase>;
  /** Set as soon as somebody fills it, or opens it as it is. */
  filled?: Promise<void>;
}

const databases = new Map<string, DatabasePlace>();

const placeOf = (folder: string): DatabasePlace => {
  const place = databases.get(folder) ?? { database: createTestDatabase() };
  databases.set(folder, place);
  return place;
};
