import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import type { OwnedMigration } from '../../ports/ports.ts';
import { createTestDatabase, type TestDatabase } from './postgres-server.ts';
import { scratchPlace } from './scratch-place.ts';

/**
 * Templates of empty stores, because creating the tables takes ten times as long as copying them.
 */

/** Creates a store file with these migrations applied, unless the file exists. */
export const fillFile = async (path: string, migrations: readonly OwnedMigration[]): Promise<void> => {
  if (existsSync(path)) return;
  const { bytes, epochAt } = await files.of(migrations);
  // Another node on the folder may have created the file meanwhile.
  if (existsSync(path)) return;
  // Opening the copy to write its epoch would take longer than the copy.
  bytes.write(randomUUID(), epochAt);
  writeFileSync(path, bytes);
};

/** Returns the database to copy for these migrations. Nothing is connected to it. */
export const databaseTemplate = (migrations: readonly OwnedMigration[]): Promise<TestDatabase> =>
  databases.of(migrations);

/** Returns the statement that gives a store its own epoch, the only difference between empty stores. */
export const ownEpoch = (): string => `UPDATE node_clock SET epoch = '${randomUUID()}'`;

/** Returns the names of the migrations, which are equal for equal tables. */
export const namesOf = (migrations: readonly OwnedMigration[]): string =>
  migrations
    .map(({ owner, number, name }) => `${owner}/${number}/${name}`)
    .sort()
    .join(' ');

/** Caches templates by the names of their migrations. */
class Templates<T> {
  readonly #make: (migrations: readonly OwnedMigration[]) => Promise<T>;
  readonly #made = new Map<string, Promise<T>>();

  constructor(make: (migrations: readonly OwnedMigration[]) => Promise<T>) {
    this.#make = make;
  }

  of(migrations: readonly OwnedMigration[]): Promise<T> {
    const names = namesOf(migrations);
    const template = this.#made.get(names) ?? this.#make(migrations);
    this.#made.set(names, template);
    return template;
  }
}

/** The bytes of a store file, and the place of its epoch in them. */
interface FileTemplate {
  readonly bytes: Buffer;
  readonly epochAt: number;
}

const files = new Templates(async (migrations): Promise<FileTemplate> => {
  const path = join(await folder(), `${randomUUID()}.db`);
  const store = createSqliteStore({ path });
  await store.migrate(migrations);
  await store.close();
  const database = new DatabaseSync(path);
  const { epoch } = database.prepare('SELECT epoch FROM node_clock').get() as { readonly epoch: string };
  database.close();
  const bytes = readFileSync(path);
  const epochAt = bytes.indexOf(epoch);
  if (epochAt < 0 || bytes.lastIndexOf(epoch) !== epochAt) throw new Error('the file must hold its epoch exactly once');
  return { bytes, epochAt };
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
