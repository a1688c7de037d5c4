import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Tells whether anybody has committed to the file: https://sqlite.org/pragma.html#pragma_data_version A connection of
 * its own that writes nothing, so that the commits of this process count like those of others.
 */
export class StoreVersion {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | undefined;
  /** Versions are those of a connection: with another one they begin anew, elsewhere. */
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
