import { realpathSync, statSync } from 'node:fs';
import { ServiceError } from '../../ports/ports.ts';
import { LogLength } from './log-length.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Tells whether the paths of an open store still name its files. SQLite goes on with open files that were moved,
 * replaced, removed or emptied, and their commits would be gone after a restart or a crash.
 */
export class FilesInPlace {
  readonly #path: string;
  /** It has commits that the file lacks, and stays as long as a connection is open. */
  #log: string;
  /** Its locks keep other processes from emptying a log that this process still uses. */
  #index: string;
  #length: LogLength | undefined;
  /** The identities of the files by their paths. SQLite makes the log of a new file with its first read. */
  readonly #opened = new Map<string, string>();

  constructor(path: string) {
    this.#path = path;
    this.#log = `${path}-wal`;
    this.#index = `${path}-shm`;
  }

  /** Opens a connection. Later calls refuse where the paths name other files than in the first one. */
  opening(open: () => SqliteConnection): SqliteConnection {
    // SQLite would make an empty file in the place of a missing one.
    if (this.#opened.size > 0) this.require();
    const connection = open();
    try {
      if (this.#opened.size === 0) {
        // SQLite puts the log beside the file itself where the path is a link.
        const file = realpathSync(this.#path);
        this.#log = `${file}-wal`;
        this.#index = `${file}-shm`;
      }
      this.require();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Throws `unavailable` if the paths name other files than the open ones, or none, or an empty file. */
  require(): void {
    const paths = [this.#path, this.#log, this.#index];
    for (const path of paths) {
      const found = lookAt(path);
      if (found === UNKNOWN) continue;
      const opened = this.#opened.get(path);
      if (opened === undefined && found !== undefined) this.#opened.set(path, found.identity);
      if (opened !== undefined && found?.identity !== opened) throw notInPlace(paths);
      // A new connection would remove the log of an empty file.
      if (path === this.#path && found?.bytes === 0n) throw emptied(path);
    }
  }

  /** Throws `unavailable` also if the log was cut. The caller holds the write lock. */
  requireWhole(): void {
    this.require();
    this.#length ??= new LogLength(this.#log);
    this.#length.require();
  }

  /** The size of the log at the last `requireWhole`. */
  get logBytes(): number {
    return this.#length?.bytes ?? 0;
  }

  /** Whether the log is empty, as of the last `requireWhole`. Only a commit shows whether it was emptied as usual. */
  get isLogEmpty(): boolean {
    return this.#length?.isEmpty ?? true;
  }

  /** Throws `commit_unknown` if the commit after the last `requireWhole` would be lost with a restart. */
  requireCommit(): void {
    this.#length?.requireCommit();
  }
}

const notInPlace = (paths: readonly string[]): ServiceError =>
  new ServiceError('unavailable', 'the files of the store were moved, replaced or removed', {
    hint: `put ${paths.join(' and ')} back, or restart the node with the store that is there`,
  });

const emptied = (path: string): ServiceError =>
  new ServiceError('unavailable', 'the file of the store was emptied beside the node', {
    hint: `stop the node, and restore a backup in place of ${path}`,
  });

/** A file that the system does not let this process look at, which may well be in its place. */
const UNKNOWN = 'unknown';

interface FoundFile {
  /** Tells the file from every other one of the machine. */
  readonly identity: string;
  readonly bytes: bigint;
}

/** Returns undefined for a missing file. */
const lookAt = (path: string): FoundFile | typeof UNKNOWN | undefined => {
  try {
    const { dev, ino, size } = statSync(path, { bigint: true });
    return { identity: `${dev} ${ino}`, bytes: size };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? undefined : UNKNOWN;
  }
};
