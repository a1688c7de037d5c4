import { ServiceError } from '../../ports/ports.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts';
import { isBusy, toServiceError } from './sqlite-errors.ts';

/** A database file with the options for opening it. */
export interface SqliteFile {
  readonly driver: SqliteDriver;
  readonly path: string;
  /** Milliseconds that a connection waits for another process before it fails. */
  readonly busyTimeoutMs: number;
}

/**
 * The page cache of a connection in KiB. Other pages come from the system's file cache within microseconds. Every fact
 * changes random pages of three indexes: with half of this cache, batches take 7 % longer. Readers gain nothing from
 * more.
 */
const WRITER_CACHE_KIB = 32 * 1024;
const READER_CACHE_KIB = 2 * 1024;

/**
 * The number of pages in the log before a checkpoint. A longer log rewrites hot index pages less often, but each
 * checkpoint takes longer.
 */
export const CHECKPOINT_PAGES = 20_000;

/** The size in bytes to which a checkpoint truncates the log file. */
export const KEPT_LOG_BYTES = 128 * 1024 * 1024;

/** Opens the writing connection. Throws `unavailable` with a hint when the file cannot be used. */
export const openWriter = (file: SqliteFile): SqliteConnection => openConnection(file, WRITER_PRAGMAS);

export const openReader = (file: SqliteFile): SqliteConnection => openConnection(file, READER_PRAGMAS);

const WRITER_PRAGMAS: readonly string[] = [
  // NORMAL could lose acknowledged commits in a power failure, although peers may know their stamps.
  'synchronous = FULL',
  'foreign_keys = ON',
  // Without recursive triggers, INSERT OR REPLACE would bypass the trigger that prevents the deletion of facts.
  'recursive_triggers = ON',
  // Zeroes deleted cells and freed pages. The scrub relies on it: only unused parts of split pages keep remains.
  'secure_delete = ON',
  `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  `journal_size_limit = ${KEPT_LOG_BYTES}`,
  `cache_size = -${WRITER_CACHE_KIB}`,
  // Disables SQLite's own wait, which blocks the thread. The engine retries instead.
  'busy_timeout = 0',
];

const READER_PRAGMAS: readonly string[] = ['query_only = ON', `cache_size = -${READER_CACHE_KIB}`];

const openConnection = ({ driver, path, busyTimeoutMs }: SqliteFile, pragmas: readonly string[]): SqliteConnection => {
  let database: SqliteDatabase | undefined;
  try {
    database = driver.open(path);
    database.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    enterWalMode(database, busyTimeoutMs);
    for (const pragma of pragmas) database.exec(`PRAGMA ${pragma}`);
    // Prepares a statement only now, because a handle with a statement stays open after a failure.
    requireWalMode(database);
    return new SqliteConnection(database);
  } catch (error) {
    database?.close();
    throw withPath(toServiceError(error), path);
  }
};

/**
 * Enters WAL mode, in which readers continue during a write. The switch ignores SQLite's timeout and fails while
 * another process makes it, so this retries.
 */
const enterWalMode = (database: SqliteDatabase, busyTimeoutMs: number): void => {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
  }
};

const WAL_RETRY_MS = 10;

const requireWalMode = (database: SqliteDatabase): void => {
  const statement = database.prepare('PRAGMA journal_mode');
  statement.setReturnArrays(true);
  const [row] = statement.all() as [[string]];
  if (row[0] === 'wal') return;
  throw new ServiceError('unavailable', 'the store cannot use a write-ahead log', {
    hint: 'the file must be on a local disk that can be written; network file systems are not supported',
  });
};

const withPath = (error: unknown, path: string): unknown => {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError('unavailable', error.message, {
    hint: `${error.hint ?? ''} (${path})`,
    cause: error.cause,
  });
};
