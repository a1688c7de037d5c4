import type { Knex } from 'knex';
import { endTransaction, type SqliteConnection } from '../sqlite-connection.ts';
import { SqliteSession } from '../sqlite-session.ts';

/**
 * What a write transaction reads before it changes anything, on a connection of the caller's own thread: while the
 * transaction has the lock nobody else commits, so that both see the same state, and no answer of the other thread has
 * to be waited for.
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

  /** Its first statement takes the snapshot. An error of beginning it is thrown as the driver gave it. */
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
