import { join } from 'node:path';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { FactStore, OwnedMigration } from '../../ports/ports.ts';
import type { StoreKind } from './for-each-store.ts';
import { giveBack, type NodeDatabase, takeDatabase } from './node-database.ts';
import { fillFile } from './store-templates.ts';
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

/**
 * Finds the store of a folder like `placeTestStore`, but leaves a missing database to `fill`. `tables` names the tables
 * that it will have, as far as they are known yet.
 */
export const planTestStore = async (kind: StoreKind, folder: string, tables?: string): Promise<TestStore> => {
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
  const place = placeOf(folder, tables);
  const { url, driver } = await place.database;
  return {
    settings: { use: 'postgres', url, dataFolder: folder, replicaUrls: replicasOf(url) },
    fill: (migrations) => place.fill(migrations),
    open: () => createPostgresStore({ url, replicaUrls: replicasOf(url), watchNesting: true, driver, ...PATIENCE }),
    remove: async () => {
      places.delete(folder);
      await place.remove();
    },
  };
};

/** Returns the store of a database that the test has created, and removes. */
export const givenTestStore = (url: string, folder: string): TestStore => ({
  settings: { use: 'postgres', url, dataFolder: folder },
  fill: async () => {},
  open: () => createPostgresStore({ url, watchNesting: true, ...PATIENCE }),
  remove: async () => {},
});

/** Returns the database on the replica that `SVC_TEST_REPLICA_URL` names; nothing without that variable. */
const replicasOf = (url: string): readonly string[] => {
  const replica = process.env['SVC_TEST_REPLICA_URL'];
  return replica ? [Object.assign(new URL(replica), { pathname: new URL(url).pathname }).href] : [];
};

/** Limits beyond the defaults, because a busy machine may need longer, above all to open a session. */
const PATIENCE = { connectTimeoutMs: 60_000, lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 };

/** The database of a folder, filled once; nodes that start on the folder at the same time wait for it. */
class DatabasePlace {
  readonly database: Promise<NodeDatabase>;
  #filled: Promise<void> | undefined;
  #isReusable: boolean;
  #removed: Promise<void> | undefined;

  constructor(tables: string | undefined) {
    this.database = takeDatabase(tables);
    this.#isReusable = tables !== undefined;
  }

  /** A database that several nodes, or the test itself, may have opened or changed is not used again. */
  async fill(migrations: readonly OwnedMigration[] | undefined): Promise<void> {
    if (this.#filled !== undefined || migrations === undefined) this.#isReusable = false;
    this.#filled ??= this.database.then((database) => database.fill(migrations));
    await this.#filled;
  }

  /** Idempotent, because a test may stop its node twice, and the database may have a new node by then. */
  remove(): Promise<void> {
    this.#removed ??= this.database.then((database) => (this.#isReusable ? giveBack(database) : database.drop()));
    return this.#removed;
  }
}

const places = new Map<string, DatabasePlace>();

const placeOf = (folder: string, tables: string | undefined): DatabasePlace => {
  const place = places.get(folder) ?? new DatabasePlace(tables);
  places.set(folder, place);
  return place;
};
