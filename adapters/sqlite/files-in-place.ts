import { realpathSync, statSync } from 'node:fs';
import { ServiceError } from '../../ports/ports.ts';
import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Tells whether the paths of an open store still name its files. SQLite goes on with open files that were moved,
 * replaced or removed, and their commits would be gone after a restart or a crash.
 */
export class FilesInPlace {
  readonly #path: string;
  /** It has commits that the file lacks, and stays as long as a connection is open. */
  #log: string;
  /** The identities of the files by their paths. SQLite makes the log of a new file with its first read. */
  readonly #opened = new Map<string, string>();
  #logBytes = 0;

  constructor(path: string) {
    this.#path = path;
    this.#log = `${path}-wal`;
  }

  /** Opens a connection. Later calls refuse where the paths name other files than in the first one. */
  opening(open: () => SqliteConnection): SqliteConnection {
    // SQLite would make an empty file in the place of a missing one.
    if (this.#opened.size > 0) this.require();
    const connection = open();
    try {
      // SQLite puts the log beside the file itself where the path is a link.
      if (this.#opened.size === 0) this.#log = `${realpathSync(this.#path)}-wal`;
      this.require();
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** The size of the log at the last check. */
  get logBytes(): number {
    return this.#logBytes;
  }

  /** Throws `unavailable` if the paths name other files than the open ones, or none. */
  require(): void {
    for (const path of [this.#path, this.#log]) {
      const { found, bytes } = look(path);
      if (path === this.#log) this.#logBytes = bytes;
      const opened = this.#opened.get(path);
      if (opened === undefined && found !== undefined && found !== UNKNOWN) this.#opened.set(path, found);
      if (opened === undefined || found === opened || found === UNKNOWN) continue;
      throw new ServiceError('unavailable', 'the files of the store were moved, replaced or removed', {
        hint: `put ${this.#path} and ${this.#log} back, or restart the node with the store that is there`,
      });
    }
  }
}

/** A file that the system does not let this process look at, which may well be in its place. */
const UNKNOWN = 'unknown';

/** Returns what tells a file from every other one of the machine, undefined for a missing one, and its size. */
const look = (path: string): { readonly found: string | undefined; readonly bytes: number } => {
  try {
    const { dev, ino, size } = statSync(path, { bigint: true });
    return { found: `${dev} ${ino}`, bytes: Number(size) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { found: code === 'ENOENT' || code === 'ENOTDIR' ? undefined : UNKNOWN, bytes: 0 };
  }
};
