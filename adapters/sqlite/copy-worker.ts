import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError, type SqlValue, type StoreCopy } from '../../ports/ports.ts';
import { digestFile, syncPath } from '../files/durable-file.ts';
import { countRows, describeCopy } from '../sql/describe-copy.ts';
import { COPY_NAME, type CopyOutcome, SQLITE_LAYOUT } from './copy-file.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { toServiceError } from './sqlite-errors.ts';

/**
 * The program of the child process that copies a store, because SQLite copies without a pause and cannot be cancelled.
 * Its arguments are the file of the store and the folder of the copy. It sends a `CopyOutcome` to its parent.
 */

const PATIENCE_MS = 60_000;

const rowsOf = (database: SqliteDatabase, sql: string, ...parameters: SqlValue[]): SqlValue[][] => {
  const statement = database.prepare(sql);
  statement.setReturnArrays(true);
  return statement.all(...parameters) as SqlValue[][];
};

const onDatabase = async <T>(path: string, work: (database: SqliteDatabase) => T | Promise<T>): Promise<T> => {
  const database = loadSqliteDriver().open(path);
  try {
    database.exec(`PRAGMA busy_timeout = ${PATIENCE_MS}`);
    return await work(database);
  } finally {
    database.close();
  }
};

/**
 * Copies the store into a file without a log. The description comes from the copy itself, so that both have the same
 * state.
 */
const copy = async (path: string, folder: string): Promise<StoreCopy> => {
  const target = join(folder, COPY_NAME);
  await onDatabase(path, (database) => {
    database.prepare('VACUUM INTO ?').run(target);
  });
  await chmod(target, 0o600);
  const described = await onDatabase(target, async (database) => {
    const [[verdict] = []] = rowsOf(database, 'PRAGMA quick_check(1)');
    if (verdict !== 'ok') throw new ServiceError('unavailable', 'the copy of the store is damaged');
    const ask = async (sql: string): Promise<SqlValue[][]> => rowsOf(database, sql);
    const tables = (await ask(sqliteDialect.queries.tableNames)).map(([name]) => String(name)).sort();
    return { ...(await describeCopy(tables, ask)), tables: await countRows(tables, ask) };
  });
  await syncPath(target);
  return { layout: SQLITE_LAYOUT, files: [{ name: COPY_NAME, ...(await digestFile(target)) }], ...described };
};

const outcome = async (): Promise<CopyOutcome> => {
  try {
    const [path = '', folder = ''] = process.argv.slice(2);
    return { copy: await copy(path, folder) };
  } catch (error) {
    const found = toServiceError(error);
    if (found instanceof ServiceError) return { problem: found.message, hint: found.hint };
    return { problem: error instanceof Error ? error.message : 'unknown' };
  }
};

const told = await outcome();
// The parent process may have ended in the meantime.
if (process.connected) process.send?.(told, () => process.disconnect?.());
