/**
 * `npm run record-store`: records the stores of this version in test/upgrade/recorded/, which every later version must
 * open. The store of PostgreSQL needs a `pg_dump` that is at least as new as the server. SVC_TEST_DATABASE_URL names an
 * older server than the one of npm, as the address of a superuser.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import { NODE_VERSION } from '../../kernel/identity/node-version.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { startStage } from '../flows/examples/stage.ts';
import type { StoreKind } from '../kit/for-each-store.ts';
import { createTestDatabase } from '../kit/postgres-server.ts';
import { countRows } from './count-rows.ts';
import { fillRecordedStore } from './fill-recorded-store.ts';
import { saveRecord } from './recorded-stores.ts';

const MAX_DUMP_BYTES = 64 * 1024 * 1024;
const DUMP = ['--no-owner', '--no-privileges', '--inserts', '--rows-per-insert=50'];

/** Returns the SQL of a database. Commands of psql are left out, because tests send the text to a server. */
const dumpOf = (url: string): Buffer => {
  const text = execFileSync('pg_dump', [...DUMP, url], { encoding: 'utf8', maxBuffer: MAX_DUMP_BYTES });
  return Buffer.from(text.replaceAll(/^\\.*\n|^--.*\n|^SELECT pg_catalog\.set_config\('search_path'.*\n/gm, ''));
};

const record = async (kind: StoreKind, place: string, read: () => Buffer): Promise<void> => {
  const stage = await startStage(
    kind === 'sqlite' ? createSqliteStore({ path: place }) : createPostgresStore({ url: place }),
  );
  let answers: Awaited<ReturnType<typeof fillRecordedStore>>;
  try {
    answers = await fillRecordedStore(stage);
  } finally {
    await stage.stop();
  }
  saveRecord(NODE_VERSION, kind, read(), { rows: await countRows(kind, place), answers });
  console.log(`${kind}: recorded as ${NODE_VERSION}`);
};

const folder = mkdtempSync(join(tmpdir(), 'record-'));
mkdirSync(join(projectRoot(), 'test/upgrade/recorded', NODE_VERSION), { recursive: true });
try {
  const path = join(folder, 'store.db');
  await record('sqlite', path, () => readFileSync(path));
  const database = await createTestDatabase();
  await record('postgres', database.url, () => dumpOf(database.url)).finally(() => database.drop());
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
