import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { RowPace } from '../row-pace.ts';
import { endTransaction, type SqliteConnection } from '../sqlite-connection.ts';
import { isBusy, toCommitError, toServiceError } from '../sqlite-errors.ts';
import { SqliteSession } from '../sqlite-session.ts';
import { watchCommits } from '../watch-commits.ts';
import { pauseMs, SMALLEST_WRITE, type SqliteWriter, type WriteSession, type Written } from './sqlite-writer.ts';

/** A writer in the thread of its callers. */
export class InlineWriter implements SqliteWriter {
  readonly #knex: Knex;
  readonly #connection: SqliteConnection;
  readonly #pace = new RowPace();

  constructor(open: () => SqliteConnection, knex: Knex) {
    this.#knex = knex;
    this.#connection = open();
  }

  async transact<T>(work: (session: WriteSession) => Promise<T>, patienceMs: number): Promise<Written<T>> {
    await this.#begin(patienceMs);
    const connection = this.#connection;
    const session = new SqliteSession(connection, this.#knex, this.#pace);
    let result: T;
    try {
      result = await work(session);
      // Writes a little, because other processes detect only a commit that changes something.
      if (session.signals !== undefined) await session.run(SMALLEST_WRITE, []);
      if (session.failure !== undefined) throw session.failure;
    } catch (error) {
      endTransaction(connection);
      throw error;
    } finally {
      session.end();
    }
    try {
      connection.exec('COMMIT');
    } catch (error) {
      endTransaction(connection);
      throw toCommitError(error);
    }
    return { result, signals: session.signals };
  }

  /**
   * Watches for commits of other processes. The connection does not count its own, whose signals the engine sends
   * itself.
   */
  watch(changed: () => void): () => void {
    return watchCommits(() => this.#connection, changed);
  }

  async restartLog(): Promise<boolean> {
    return this.#connection.restartLog();
  }

  async checkpointFrom(pages: number): Promise<void> {
    this.#connection.checkpointFrom(pages);
  }

  forgetStatements(): void {
    this.#connection.forgetStatements();
  }

  async close(): Promise<void> {
    this.#connection.checkpoint();
    this.#connection.close();
  }

  /**
   * Tries to get the lock without waiting in SQLite, which would block this thread, and with it another store of this
   * process that holds the lock.
   */
  async #begin(patienceMs: number): Promise<void> {
    const deadline = performance.now() + patienceMs;
    for (let attempts = 0; ; attempts += 1) {
      try {
        this.#connection.begin('BEGIN IMMEDIATE');
        return;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw toServiceError(error);
      }
      await sleep(pauseMs(attempts));
    }
  }
}
