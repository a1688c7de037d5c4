import type { Knex } from 'knex';
import { RowPace } from '../row-pace.ts';
import { endTransaction, type SqliteConnection } from '../sqlite-connection.ts';
import { SqliteSession } from '../sqlite-session.ts';

/**
 * Runs the reads of a write transaction before its first change on a connection of this thread. No other process
 * commits while the transaction has the lock, so both connections see the same state. This saves round trips to the
 * writer thread.
 */
export class EarlyReads {
  readonly #knex: Knex;
  readonly #connection: SqliteConnection;
  readonly #pace = new RowPace();

  constructor(open: () => SqliteConnection, knex: Knex) {
    this.#knex = knex;
    this.#connection = open();
  }

  /** Begins a read transaction, whose first statement takes the snapshot. Throws the driver's own error of BEGIN. */
  begin(): SqliteSession {
    this.end();
    this.#connection.begin('BEGIN');
    return new SqliteSession(this.#connection, this.#knex, this.#pace);
  }

  /** Ends the snapshot, which would prevent a restart of the log. */
  end(): void {
    endTransaction(this.#connection);
  }

  forgetStatements(): void {
    this.#connection.forgetStatements();
  }

  close(): void {
    this.#connection.close();
  }
}
