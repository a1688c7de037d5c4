import { join } from 'node:path';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { FactStore, OwnedMigration } from '../../ports/ports.ts';
import type { StoreKind } from './for-each-store.ts';
import { planTestDatabase } from './postgres-server.ts';
import { createFilled, fillFile } from './store-templates.ts';
import { currentWriter } from './writer-thread.ts';

/** Where the store of a test is. */
export interface TestStore {
  /** The `store` part of the adapters in a configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Makes the store if there is none, with the tables of these migrations if a copy is faster than running them. */
  fill(migrations: readonly OwnedMigration[] | undefined): Promise<void>;
  /** A new store on the data. */
  open(): FactStore;
  /** Removes everything outside the folder. */
  remove(): Promise<void>;
}

/** Finds the store of a folder, or makes an empty one: a file in it, or a database of its own. */
export const placeTestStore = async (kind: StoreKind, folder: string): Promise<TestStore> => {
  const store = await planTestStore(kind, folder);
  if (kind === 'postgres') await store.fill(undefined);
  return store;
};

/** The same, but a database that does not exist yet waits for `fill`. */
export const planTestStore = async (kind: StoreKind, folder: string): Promise<TestStore> => {
  if (kind === 'sqlite') {
    const path = join(folder, 'node.db');
    return {
      // The same layout on every machine; suites of both say which one they mean.
      settings: { use: 'sqlite', path, writer: currentWriter() },
      fill: async (migrations) => {
        if (migrations !== undefined) await fillFile(path, migrations);
      },
      open: () => createSqliteStore({ path, watchNesting: true, writer: currentWriter() }),
      remove: async () => {},
    };
  }
  const place = placeOf(folder);
  const { url, drop } = await place.database;
  return {
    settings: { use: 'postgres', url, dataFolder: folder },
    fill: (migrations) => place.create(migrations),
    open: () => createPostgresStore({ url, watchNesting: true }),
    remove: async () => {
      places.delete(folder);
      await drop();
    },
  };
};

/** The database of a folder, which is created once: nodes that start on the folder at once wait for it. */
class DatabasePlace {
  readonly database = planTestDatabase();
  #created: Promise<void> | undefined;

  create(migrations: readonly OwnedMigration[] | undefined): Promise<void> {
    this.#created ??= this.#create(migrations);
    return this.#created;
  }

  async #create(migrations: readonly OwnedMigration[] | undefined): Promise<void> {
    const database = await this.database;
    await (migrations === undefined ? database.create() : createFilled(database, migrations));
  }
}

const places = new Map<string, DatabasePlace>();

const placeOf = (folder: string): DatabasePlace => {
  const place = places.get(folder) ?? new DatabasePlace();
  places.set(folder, place);
  return place;
};
