import { ServiceError } from '../../ports/ports.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import type { SqliteDatabase, SqliteDriver } from './sqlite-driver.ts';
import { isBusy, toServiceError } from './sqlite-errors.ts';

/** A file, and how it is opened. */
export interface SqliteFile {
  readonly driver: SqliteDriver;
  readonly path: string;
  /** How long a connection waits for another process before it fails. */
  readonly busyTimeoutMs: number;
}

/**
 * Kibibytes of pages that a connection caches. Any other page comes from the file cache of the system at a microsecond
 * or two. Every fact goes into three indexes at random places: with half as much for the writer, batches cost 7 % more.
 */
const WRITER_CACHE_KIB = 32 * 1024;
const READER_CACHE_KIB = 4 * 1024;

/**
 * Pages in the log before it is copied back. Longer logs rewrite hot index pages less often, at a longer pause each
 * time.
 */
const CHECKPOINT_PAGES = 20_000;

/** The size to which a checkpoint cuts the log file. */
const KEPT_LOG_BYTES = 128 * 1024 * 1024;

/** Throws `unavailable` with a hint when the file cannot be used. */
export const openWriter = (file: SqliteFile): SqliteConnection => openConnection(file, WRITER_PRAGMAS);

export const openReader = (file: SqliteFile): SqliteConnection => openConnection(file, READER_PRAGMAS);

const WRITER_PRAGMAS: readonly string[] = [
  // NORMAL would lose acknowledged commits at a power failure, and peers may know their stamps.
  'synchronous = FULL',
  'foreign_keys = ON',
  // Without it, INSERT OR REPLACE would get past the trigger that keeps facts from being deleted.
  'recursive_triggers = ON',
  `wal_autocheckpoint = ${CHECKPOINT_PAGES}`,
  `journal_size_limit = ${KEPT_LOG_BYTES}`,
  `cache_size = -${WRITER_CACHE_KIB}`,
  // The engine waits for the lock itself, without stopping the thread.
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
    return new SqliteConnection(database);
  } catch (error) {
    database?.close();
    throw withPath(toServiceError(error), path);
  }
};

/**
 * Readers go on while one writes. The switch to this mode ignores the timeout: it fails at once while another process
 * makes it.
 */
const enterWalMode = (database: SqliteDatabase, busyTimeoutMs: number): void => {
  const deadline = performance.now() + busyTimeoutMs;
  for (;;) {
    try {
      const statement = database.prepare('PRAGMA journal_mode = WAL');
      statement.setReturnArrays(true);
      const [row] = statement.all() as [[string]];
      if (row[0] === 'wal') return;
      throw new ServiceError('unavailable', 'the store cannot use a write-ahead log', {
        hint: 'the file must be on a local disk that can be written; network file systems are not supported',
      });
    } catch (error) {
      if (!isBusy(error) || performance.now() >= deadline) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAL_RETRY_MS);
  }
};

const WAL_RETRY_MS = 10;

const withPath = (error: unknown, path: string): unknown => {
  if (!(error instanceof ServiceError)) return error;
  return new ServiceError('unavailable', error.message, {
    hint: `${error.hint ?? ''} (${path})`,
    cause: error.cause,
  });
};
