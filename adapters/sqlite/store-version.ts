import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Provides a number that changes when any connection commits: https://sqlite.org/pragma.html#pragma_data_version It
 * reads through a connection that never writes, because the number ignores the commits of its own connection.
 */
export class StoreVersion {
  readonly #open: () => SqliteConnection;
  #connection: SqliteConnection | undefined;

  constructor(open: () => SqliteConnection) {
    this.#open = open;
  }

  read(): number | undefined {
    try {
      this.#connection ??= this.#open();
      return Number(this.#connection.rows('PRAGMA data_version', [])[0]?.[0]);
    } catch {
      // Keeps the connection, because the numbers of two connections cannot be compared.
      return undefined;
    }
  }

  close(): void {
    this.#connection?.close();
  }
}
