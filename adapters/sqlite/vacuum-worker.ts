import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { loadSqliteDriver, type SqliteDatabase } from './sqlite-driver.ts';
import { isBusy } from './sqlite-errors.ts';

/**
 * The entry point of a thread that rewrites a file, which SQLite does without a pause. Posts `null` on success, or the
 * text of an error.
 */

/** The time limit for waiting until other processes and readers release the log. */
const PATIENCE_MS = 60_000;
const PAUSE_MS = 20;

/** Returns true when the log is empty and the file contains all of its pages. */
const emptyLog = (database: SqliteDatabase): boolean => {
  const statement = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  statement.setReturnArrays(true);
  const [row] = statement.all() as [[number | bigint]];
  return Number(row[0]) === 0;
};

const untilDone = async (attempt: () => boolean): Promise<void> => {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      if (attempt()) return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    if (performance.now() >= deadline) throw new Error('the log of the store is in use');
    await sleep(PAUSE_MS);
  }
};

/** Rewrites the file, after which it has no free pages and no remains of deleted rows. */
const rewrite = async (path: string): Promise<void> => {
  const database = loadSqliteDriver().open(path);
  try {
    database.exec('PRAGMA busy_timeout = 1000');
    await untilDone(() => {
      database.exec('VACUUM');
      return true;
    });
    await untilDone(() => emptyLog(database));
  } finally {
    database.close();
  }
};

try {
  await rewrite((workerData as { readonly path: string }).path);
  parentPort?.postMessage(null);
} catch (error) {
  parentPort?.postMessage(error instanceof Error ? error.message : 'unknown');
}
