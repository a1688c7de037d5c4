import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Tells whether any connection has committed to the file: https://sqlite.org/pragma.html#pragma_data_version It uses a
 * connection that writes nothing, so that commits of this process count like those of others.
 */
export class StoreVersion {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | undefined;
  /** A version counts for one connection. A new connection starts again at another base. */
  #base = 0;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  read(): number | undefined {
    try {
      this.#connection ??= this.#open();
      return this.#base + Number(this.#connection.rows('PRAGMA data_version', [])[0]?.[0]);
    } catch {
      this.close();
      this.#base += VERSIONS_OF_A_CONNECTION;
      return undefined;
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

/** SQLite counts with 32 bits. */
const VERSIONS_OF_A_CONNECTION = 2 ** 32;
