import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { OwnedMigration } from '../../ports/ports.ts';
import { administer, createTestDatabase, type TestDatabase } from './postgres-server.ts';
import { scratchPlace } from './scratch-place.ts';

/*
 * Making the tables of a node takes ten times as long as copying an empty store that has them. The first node with its
 * migrations makes its own; the next ones get a copy of a template.
 */

/** Makes a file that has what these migrations make, unless there is one or nobody has asked for them before. */
export const fillFile = async (path: string, migrations: readonly OwnedMigration[]): Promise<void> => {
  if (existsSync(path)) return;
  const template = await files.of(migrations);
  // Another node of the folder may have made it meanwhile.
  if (template === undefined || existsSync(path)) return;
  copyFileSync(template, path);
  const database = new DatabaseSync(path);
  database.exec(OWN_EPOCH());
  database.close();
};

/** Creates a database with what these migrations make, or an empty one if nobody has asked for them before. */
export const createFilled = async (database: TestDatabase, migrations: readonly OwnedMigration[]): Promise<void> => {
  const template = await databases.of(migrations);
  await database.create(template);
  if (template !== undefined) await administer(database.url, OWN_EPOCH());
};

/** The one thing by which empty stores differ. */
const OWN_EPOCH = (): string => `UPDATE node_clock SET epoch = '${randomUUID()}'`;

/** The outcomes of migrations, by their names. */
class Templates<T> {
  readonly #make: (migrations: readonly OwnedMigration[]) => Promise<T>;
  readonly #made = new Map<string, Promise<T> | undefined>();

  constructor(make: (migrations: readonly OwnedMigration[]) => Promise<T>) {
    this.#make = make;
  }

  /** Undefined for migrations that nobody has asked for before, which may be the last time as well. */
  async of(migrations: readonly OwnedMigration[]): Promise<T | undefined> {
    const key = migrations
      .map(({ owner, number, name }) => `${owner}/${number}/${name}`)
      .sort()
      .join(' ');
    const isKnown = this.#made.has(key);
    const template = this.#made.get(key) ?? (isKnown ? this.#make(migrations) : undefined);
    this.#made.set(key, template);
    return template;
  }
}

const files = new Templates(async (migrations) => {
  const path = join(await folder(), `${randomUUID()}.db`);
  const store = createSqliteStore({ path });
  await store.migrate(migrations);
  await store.close();
  return path;
});

const databases = new Templates(async (migrations) => {
  const database = await createTestDatabase();
  const store = createPostgresStore({ url: database.url });
  await store.migrate(migrations);
  await store.close();
  return database;
});

let place: string | undefined;

const folder = async (): Promise<string> => {
  if (place === undefined) {
    const made = mkdtempSync(join(await scratchPlace(), 'store-templates-'));
    process.once('exit', () => rmSync(made, { recursive: true, force: true }));
    place = made;
  }
  return place;
};
