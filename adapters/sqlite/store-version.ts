import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Returns a number that changes when any connection commits: https://sqlite.org/pragma.html#pragma_data_version It uses
 * a connection that never writes, so that commits of this process count too.
 */
export class StoreVersion {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | undefined;
  /** The offset of the current connection's versions, because each connection counts for itself. */
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

/** The size of the range of a connection's versions, which SQLite counts with 32 bits. */
const VERSIONS_OF_A_CONNECTION = 2 ** 32;
