import type { SqliteConnection } from './sqlite-connection.ts';

/**
 * Returns a number that changes when any connection commits: https://sqlite.org/pragma.html#pragma_data_version It uses
 * a connection that never writes, so that commits of this process count too.
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
      // Keeps the connection, because each connection counts for itself.
      return undefined;
    }
  }

  close(): void {
    this.#connection?.close();
  }
}
