import { dirname, resolve } from 'node:path';
import { type ContentSeal, type FactStore, ServiceError } from '../../ports/ports.ts';
import { createFolder } from '../files/create-folder.ts';
import { createSqlFactStore, DEFAULT_CACHE_BYTES } from '../sql/sql-fact-store.ts';
import { copyFile } from './copy-file.ts';
import { FilesInPlace } from './files-in-place.ts';
import { openReader, openWriter, type SqliteFile } from './open-connection.ts';
import { recordChanges } from './record-changes.ts';
import { scrubFile } from './scrub-file.ts';
import { loadSqliteDriver, type SqliteDriver } from './sqlite-driver.ts';
import { SqliteEngine } from './sqlite-engine.ts';
import { InlineWriter } from './writer/inline-writer.ts';
import { ThreadWriter } from './writer/thread-writer.ts';
import { startWriterThread, type WriterHost } from './writer/writer-thread.ts';

export interface SqliteStoreOptions {
  /** The path of the file. The store creates a missing file and folder. */
  readonly path: string;
  /** Milliseconds that a write waits for another process before it fails with `unavailable`. Default 5,000. */
  readonly busyTimeoutMs?: number;
  /** See `SqlFactStoreOptions`. Default true. */
  readonly watchNesting?: boolean;
  /** The memory of the fact cache in bytes; 0 disables the cache. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** See `SqlFactStoreOptions`. Default: the store is clear. */
  readonly seal?: ContentSeal | undefined;
  /** `thread` writes in a separate thread, `inline` in the thread of the callers. Default `inline`. */
  readonly writer?: 'inline' | 'thread';
  /** Starts the thread that writes the file. Default: a worker thread. */
  readonly startThread?: (file: SqliteFile) => WriterHost;
  /** The SQLite driver. Default: the one built into Node where it is complete, otherwise `@photostructure/sqlite`. */
  readonly driver?: SqliteDriver;
}

const BUSY_TIMEOUT_MS = 5_000;

/**
 * Opens the embedded store. Several stores, in one process or in many, may share a file on a local disk. Throws
 * `unavailable` with a hint when the file cannot be used. It does not support in-memory databases, because the store
 * uses several connections and such a database has one.
 */
export const createSqliteStore = (options: SqliteStoreOptions): FactStore => {
  const path = checkedPath(options.path);
  const busyTimeoutMs = options.busyTimeoutMs ?? BUSY_TIMEOUT_MS;
  const driver = options.driver ?? loadSqliteDriver();
  createFolderOf(path);
  const file: SqliteFile = { driver, path, busyTimeoutMs };
  const files = new FilesInPlace(path);
  const read = () => files.opening(() => openReader(file));
  const startThread = options.startThread ?? startWriterThread;
  const startInPlace = (): WriterHost => {
    // A later thread would open the files by their paths as well, or make them.
    files.require();
    return startThread(file);
  };
  return createSqlFactStore(
    new SqliteEngine({
      busyTimeoutMs,
      startWriter: (knex) =>
        options.writer === 'thread'
          ? new ThreadWriter(startInPlace, read, knex)
          : new InlineWriter(() => files.opening(() => openWriter(file)), knex),
      openReader: read,
      files,
      scrub: (turn) => scrubFile(path, turn),
      copy: (folder, copying) => copyFile(path, folder, copying),
      record: (folder, recording) => recordChanges(path, folder, recording),
    }),
    {
      watchNesting: options.watchNesting ?? true,
      cacheBytes: options.cacheBytes ?? DEFAULT_CACHE_BYTES,
      seal: options.seal,
    },
  );
};

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
