import { join } from 'node:path';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { FactStore, OwnedMigration } from '../../ports/ports.ts';
import type { StoreKind } from './for-each-store.ts';
import { planTestDatabase } from './postgres-server.ts';
import { createFilled, fillFile } from './store-templates.ts';
import { currentWriter } from './writer-thread.ts';

/** The location of the store of a test. */
export interface TestStore {
  /** The `store` section of the adapter configuration. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** Creates the store if it is missing; copies a template with these migrations if one exists. */
  fill(migrations: readonly OwnedMigration[] | undefined): Promise<void>;
  /** Opens a new store on the data. */
  open(): FactStore;
  /** Removes everything outside the folder. */
  remove(): Promise<void>;
}

/** Finds the store of a folder, or creates an empty one: a file in it, or a separate database. */
export const placeTestStore = async (kind: StoreKind, folder: string): Promise<TestStore> => {
  const store = await planTestStore(kind, folder);
  if (kind === 'postgres') await store.fill(undefined);
  return store;
};

/** Finds the store of a folder like `placeTestStore`, but leaves a missing database to `fill`. */
export const planTestStore = async (kind: StoreKind, folder: string): Promise<TestStore> => {
  if (kind === 'sqlite') {
    const path = join(folder, 'node.db');
    return {
      // A fixed layout on every machine; suites that test both layouts select one explicitly.
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

/** The database of a folder, created once; nodes that start on the folder at the same time wait for it. */
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
