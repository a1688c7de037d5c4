import { dirname, resolve } from 'node:path';
import { type FactStore, ServiceError } from '../../ports/ports.ts';
import { createFolder } from '../files/create-folder.ts';
import { createSqlFactStore, FACT_CACHE_MIB } from '../sql/sql-fact-store.ts';
import { copyFile } from './copy-file.ts';
import { rewriteFile } from './rewrite-file.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { loadSqliteDriver, type SqliteDatabase, type SqliteDriver } from './sqlite-driver.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { isBusy, toServiceError } from './sqlite-errors.ts';

export interface SqliteStoreOptions {
  /** The file; it and its folder are created when they are missing. */
  readonly path: string;
  /** How long a write waits for another process before it fails with `unavailable`. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** See `SqlFactStoreOptions`. Default true. */
  readonly watchNesting?: boolean;
  /** Memory for facts that were read, in MiB; 0 keeps none. Default 64. */
  readonly factCacheMiB?: number;
  /** Default: the one built into Node where it is complete, otherwise `@photostructure/sqlite`. */
  readonly driver?: SqliteDriver;
}

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Kibibytes of pages a connection keeps; what is not there comes from the file cache of the system at a microsecond or
 * two a page. Every fact goes into three indexes at random places: with half as much for the writer, batches cost 7 %
 * more.
 */
const WRITER_CACHE_KIB = 32 * 1024;
const READER_CACHE_KIB = 4 * 1024;

/**
 * Pages in the log before it is copied back. Longer logs rewrite hot index pages less often, at a longer pause each
 * time.
 */
const CHECKPOINT_PAGES = 20_000;

/** Bytes of log file kept after a checkpoint. */
const KEPT_LOG_BYTES = 128 * 1024 * 1024;

/**
 * Opens the embedded store. Several stores, in one process or in many, may share a file on a local disk. Throws
 * `unavailable` with a hint when the file cannot be used. There is no store in memory: it would vanish with its
 * connection, and the store keeps several.
 */
export const createSqliteStore = (options: SqliteStoreOptions): FactStore => {
  const path = checkedPath(options.path);
  const busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const driver = options.driver ?? loadSqliteDriver();
  createFolderOf(path);
  const open = (pragmas: readonly string[]): SqliteConnection => openConnection(driver, path, busyTimeoutMs, pragmas);
  return createSqlFactStore(
    new SqliteEngine({
      busyTimeoutMs,
      openWriter: () => open(WRITER_PRAGMAS),
      openReader: () => open(READER_PRAGMAS),
      rewrite: () => rewriteFile(path),
      copy: (folder, copying) => copyFile(path, folder, copying),
    }),
    { watchNesting: options.watchNesting ?? true, cacheMiB: options.factCacheMiB ?? FACT_CACHE_MIB },
  );
};

const WRITER_PRAGMAS: readonly string[] = [
  // NORMAL would lose acknowledged commits with the power, and peers may have seen their stamps.
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

const checkedPath = (path: string): string => {
  if (path === '' || path === ':memory:' || path.includes('\u0000')) {
    throw new ServiceError('unavailable', 'the path of the store does not name a file', {
      hint: 'give the path of a file on a local disk; a store in memory is not supported',
    });
  }
  return resolve(path);
};

const createFolderOf = (path: string): void => {
  try {
    createFolder(dirname(path), 0o700);
  } catch (cause) {
    throw new ServiceError('unavailable', 'the folder of the store could not be created', {
      hint: `check that ${dirname(path)} can be created and that no file is in the way`,
      cause,
    });
  }
};

const openConnection = (
  driver: SqliteDriver,
  path: string,
  busyTimeoutMs: number,
  pragmas: readonly string[],
): SqliteConnection => {
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
 * Readers go on while one writes. The switch to it fails at once, whatever the timeout, while another process makes it.
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
