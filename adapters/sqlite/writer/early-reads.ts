import type { Knex } from 'knex';
import { endTransaction, type SqliteConnection } from '../sqlite-connection.ts';
import { SqliteSession } from '../sqlite-session.ts';

/**
 * Reads of a write transaction before its first change, on a connection of the caller's own thread. No other process
 * commits while the transaction has the lock, so both connections see the same state. The reads need no round trip to
 * the other thread.
 */
export class EarlyReads {
  readonly #open: () => SqliteConnection;
  readonly #knex: Knex;
  #connection: SqliteConnection | undefined;

  constructor(open: () => SqliteConnection, knex: Knex) {
    this.#open = open;
    this.#knex = knex;
    this.#connection = open();
  }

  /**
   * Begins a read transaction, whose first statement takes the snapshot. Throws an error of BEGIN as the driver gave
   * it.
   */
  begin(): SqliteSession {
    this.end();
    this.#connection ??= this.#open();
    this.#connection.exec('BEGIN');
    return new SqliteSession(this.#connection, this.#knex);
  }

  /** Lets the snapshot go: while it is held the log cannot begin anew. */
  end(): void {
    if (this.#connection === undefined || endTransaction(this.#connection)) return;
    this.#connection.close();
    this.#connection = undefined;
  }

  forgetStatements(): void {
    this.#connection?.forgetStatements();
  }

  close(): void {
    this.#connection?.close();
  }
}
