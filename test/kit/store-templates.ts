import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { OwnedMigration } from '../../ports/ports.ts';
import { administer, createTestDatabase, type TestDatabase } from './postgres-server.ts';
import { scratchPlace } from './scratch-place.ts';

/**
 * Templates of empty stores, because creating the tables takes ten times as long as copying them. The first node with a
 * set of migrations creates its own tables; later ones copy a template.
 */

/** Creates a store file with these migrations applied, unless the file exists or these migrations are new. */
export const fillFile = async (path: string, migrations: readonly OwnedMigration[]): Promise<void> => {
  if (existsSync(path)) return;
  const template = await files.of(migrations);
  // Another node on the folder may have created the file meanwhile.
  if (template === undefined || existsSync(path)) return;
  copyFileSync(template, path);
  const database = new DatabaseSync(path);
  database.exec(OWN_EPOCH());
  database.close();
};

/** Creates a database with these migrations applied, or an empty one if these migrations are new. */
export const createFilled = async (database: TestDatabase, migrations: readonly OwnedMigration[]): Promise<void> => {
  const template = await databases.of(migrations);
  await database.create(template);
  if (template !== undefined) await administer(database.url, OWN_EPOCH());
};

/** Each store needs its own epoch, the only difference between empty stores. */
const OWN_EPOCH = (): string => `UPDATE node_clock SET epoch = '${randomUUID()}'`;

/** Caches templates by the names of their migrations. */
class Templates<T> {
  readonly #make: (migrations: readonly OwnedMigration[]) => Promise<T>;
  readonly #made = new Map<string, Promise<T> | undefined>();

  constructor(make: (migrations: readonly OwnedMigration[]) => Promise<T>) {
    this.#make = make;
  }

  /** Returns undefined on the first request for these migrations, which may also be the last. */
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
