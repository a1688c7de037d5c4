import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORE_MIGRATIONS } from '../../adapters/sql/core-migrations.ts';
import { createOneRowMigration } from '../../adapters/sql/one-row/one-row-migration.ts';
import { PLUGIN_CATALOG } from '../../config/plugin-catalog.ts';
import { planMigrations } from '../../kernel/plugins/plan-migrations.ts';
import type { MigrationSchema, OwnedMigration, Row } from '../../ports/ports.ts';
import { currentStore } from '../kit/for-each-store.ts';
import { placeTestStore, type TestStore } from '../kit/test-store.ts';
import type { Answer } from './old-answers.ts';
import type { StoryKeys } from './old-store-story.ts';

/** What a node of the version with several rows a fact left behind, and what it answered: see `record-old-store.ts`. */
export interface Recording {
  readonly nowMs: number;
  readonly keys: StoryKeys;
  /** Files beside the store. */
  readonly files: Readonly<Record<string, string>>;
  readonly tables: Readonly<Record<string, readonly Row[]>>;
  readonly answers: readonly Answer[];
}

const SOURCES = join(import.meta.dirname, '../../../test/upgrade');

export const readRecording = async (name: 'plain' | 'patchy'): Promise<Recording> =>
  JSON.parse(await readFile(join(SOURCES, `${name}-store.json`), 'utf8'), (_member, value) =>
    typeof value?.bytes === 'string' ? Buffer.from(value.bytes, 'base64') : value,
  );

export interface OldStore extends TestStore {
  readonly folder: string;
}

/** From this number on facts are one row. */
const ONE_ROW = 42;

/** Everything that a node with all plugins has applied before it starts. */
export const allMigrations = async (): Promise<OwnedMigration[]> => {
  const plugins = await Promise.all(Object.values(PLUGIN_CATALOG).map((load) => load()));
  return planMigrations(CORE_MIGRATIONS, plugins, []);
};

/** The core's migrations up to this one, with few facts a step, so that the facts of a recording take several. */
export const inSmallSteps = async (): Promise<OwnedMigration[]> => {
  const earlier = (await allMigrations()).filter(({ number, owner }) => owner === 'core' && number < ONE_ROW);
  return [...earlier, createOneRowMigration({ facts: 9, bytes: 1_000_000 })];
};

/** Makes a store as the older version left it, in a folder of its own, which `remove` removes. */
export const loadOldStore = async ({ files, tables }: Recording): Promise<OldStore> => {
  const folder = await mkdtemp(join(tmpdir(), 'old-store-'));
  const place = await placeTestStore(currentStore(), folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text, { mode: 0o600 });
  const store = place.open();
  const filling = { owner: 'test', number: 1_000_000, name: 'filled', up: fill(tables) };
  await store.migrate([...(await allMigrations()).filter(({ number }) => number < ONE_ROW), filling]);
  await store.close();
  const remove = async (): Promise<void> => {
    await place.remove();
    await rm(folder, { recursive: true, force: true });
  };
  return { ...place, folder, remove };
};

const fill =
  (tables: Recording['tables']) =>
  async ({ data, raw, hasColumn }: MigrationSchema): Promise<void> => {
    for (const [table, rows] of Object.entries(tables)) {
      if (table.startsWith('node_')) await data.table(table).delete();
      // Migrations as they are now give it to new tables, as a later one does to those of older stores.
      const isLater = rows[0]?.['tenant_id'] === undefined && (await hasColumn(table, 'tenant_id'));
      if (isLater) await raw(`ALTER TABLE ${table} DROP COLUMN tenant_id`);
      // Only SQLite numbers the facts.
      const isNumbered = await hasColumn(table, 'seq');
      await data.insertRows(table, isNumbered ? rows : rows.map(({ seq: _, ...row }) => row));
      if (isNumbered && currentStore() === 'postgres') await raw(continueNumbers(table));
    }
  };

const continueNumbers = (table: string): string =>
  `SELECT setval(pg_get_serial_sequence('${table}', 'seq'), (SELECT max(seq) FROM ${table}))
   WHERE pg_get_serial_sequence('${table}', 'seq') IS NOT NULL`;
