import { ServiceError } from '../../ports/ports.ts';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';

/** The lock of a store for work of one process at a time, which SQLite takes for an empty database. */
export const lockOf = (path: string): string => `${path}-recorder`;

/**
 * Takes the lock of a store, and holds it until the connection is closed. The lock goes with the process that holds it,
 * however that process ends, so the next one need not wait. Keep the connection: a collected one has no lock.
 */
export const takeLock = (path: string, patienceMs = 0): SqliteDatabase => {
  const database = loadSqliteDriver().open(lockOf(path));
  try {
    database.exec(`PRAGMA busy_timeout = ${patienceMs}`);
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
};

/** The error for a lock that this process cannot use, although no other process holds it. */
export const unusableLock = (path: string, cause: unknown): ServiceError =>
  new ServiceError('unavailable', `the lock of the store, ${lockOf(path)}, cannot be used`, {
    hint: 'the node makes an empty file there, which its user may write; remove what is there, it holds nothing',
    cause,
  });
