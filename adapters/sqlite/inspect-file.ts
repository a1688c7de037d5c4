import { accessSync, constants, statSync } from 'node:fs';
import { type AdapterProblem, ServiceError } from '../../ports/ports.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { toServiceError } from './sqlite-errors.ts';

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Checks whether an existing file is writable and intact, without changing its contents. Returns no problem when it is.
 */
export const inspectFile = (path: string): readonly AdapterProblem[] => {
  if (!statSync(path).isFile()) {
    return [{ message: `the store ${path} is not a file`, hint: 'give the path of a file with SVC_DB_PATH' }];
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
  } catch {
    const hint = 'check the owner and the permissions of the file and of its folder; run the node as its owner';
    return [{ message: `the store ${path} may not be read and written`, hint }];
  }
  let database: SqliteDatabase | undefined;
  try {
    database = loadSqliteDriver().open(path);
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
    const statement = database.prepare('PRAGMA quick_check(1)');
    statement.setReturnArrays(true);
    const [row] = statement.all() as [[string] | undefined];
    if (row?.[0] !== 'ok') return [damaged(path)];
    // Takes the lock of a write without writing anything.
    database.exec('BEGIN IMMEDIATE');
    database.exec('ROLLBACK');
    return [];
  } catch (error) {
    const found = toServiceError(error);
    if (!(found instanceof ServiceError)) throw error;
    return [{ message: `${found.message}: ${path}`, hint: found.hint }];
  } finally {
    database?.close();
  }
};

const damaged = (path: string): AdapterProblem => ({
  message: `the store ${path} is damaged`,
  hint: 'stop the node, keep a copy of the file, and restore a backup; run "fact-memory-node restored" before the next start',
});
