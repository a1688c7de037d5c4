import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type CopyOptions, ServiceError, type SqlValue, type StoreCopy } from '../../ports/ports.ts';
import { FifoLock } from '../sql/fifo-lock.ts';
import { SignalListeners } from '../sql/signal-listeners.ts';
import type { SqlEngine, WriteManner } from '../sql/sql-engine.ts';
import { ReaderPool } from './reader-pool.ts';
import { endTransaction, type SqliteConnection } from './sqlite-connection.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { isBusy, isResourceFailure, toCommitError, toServiceError } from './sqlite-errors.ts';
import { createSqliteBuilders, type StatementOutcome } from './sqlite-knex-client.ts';
import { SqliteSession } from './sqlite-session.ts';
import { watchCommits } from './watch-commits.ts';

export interface SqliteEngineOptions {
  openWriter(): SqliteConnection;
  openReader(): SqliteConnection;
  /** Rewrites the file without what was deleted from it, and empties the log. */
  rewrite(): Promise<void>;
  /** Writes what is committed in the file into a new one in the folder. */
  copy(folder: string, options: CopyOptions): Promise<StoreCopy>;
  /** How long a write waits while another process holds the lock. */
  readonly busyTimeoutMs: number;
}

/** Milliseconds between attempts to get the lock from another process. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;

/** Rewrites the version number, which nobody uses. */
const SMALLEST_WRITE = 'PRAGMA user_version = 0';

/** How long a write waits for those before it. Far beyond any honest queue: groups of writes take milliseconds. */
const TURN_LIMIT_MS = 30_000;
/** The longest that a timer can wait. */
const UNHURRIED_MS = 2 ** 31 - 1;

const SCRUB_LIMITS: readonly string[] = [
  'blocks of the disk, and snapshots of the file system, that held earlier states of the file of the store',
];

/** One connection that writes and some that read, all in this thread, on one file in WAL mode. */
export class SqliteEngine implements SqlEngine {
  readonly dialect = sqliteDialect;
  readonly #options: SqliteEngineOptions;
  readonly #knex: Knex = createSqliteBuilders({ perform: (...statement) => this.#alone(...statement) });
  readonly #turns = new FifoLock();
  readonly #readers: ReaderPool;
  /** The connection that writes does not count its own commits, whose signals it raises itself. */
  readonly #listeners = new SignalListeners(() =>
    watchCommits(
      () => this.#writer,
      () => this.#listeners.callAll(),
    ),
  );
  #writer: SqliteConnection | undefined;
  /** The last write failed for want of a resource, so that only a real write shows whether it is back. */
  #inDoubt = false;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteEngineOptions) {
    this.#options = options;
    this.#writer = options.openWriter();
    this.#readers = new ReaderPool(options.openReader);
  }

  async read<T>(work: (session: SqliteSession) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    return this.#readers.lend(async (connection) => {
      beginRead(connection);
      const session = new SqliteSession(connection, this.#knex);
      try {
        const result = work(session);
        if (!session.used) session.pin();
        return await result;
      } finally {
        session.end();
      }
    });
  }

  /** The lock's name does not matter: SQLite has one writer, whatever it writes. */
  async write<T>(
    _lock: string,
    work: (session: SqliteSession) => Promise<T>,
    { unhurried = false }: WriteManner = {},
  ): Promise<T> {
    this.#refuseWhenClosed();
    const patienceMs = unhurried ? Number.POSITIVE_INFINITY : this.#options.busyTimeoutMs;
    return this.#turns.hold(
      async () => this.#inTransaction(await this.#begin(patienceMs), work),
      unhurried ? UNHURRIED_MS : TURN_LIMIT_MS,
    );
  }

  table(name: string): Knex.QueryBuilder {
    return this.#knex(name);
  }

  onSignal(topic: string, listener: () => void): () => void {
    return this.#closing === undefined ? this.#listeners.add(topic, listener) : () => {};
  }

  async ping(): Promise<void> {
    this.#refuseWhenClosed();
    await this.#turns.hold(async () => {
      await this.#inTransaction(await this.#begin(this.#options.busyTimeoutMs), async (session) => {
        if (this.#inDoubt) await session.run(SMALLEST_WRITE, []);
      });
    }, TURN_LIMIT_MS);
  }

  /** The turn is kept: a write of this process would wait for the file in vain. */
  async scrub(): Promise<readonly string[]> {
    this.#refuseWhenClosed();
    await this.#turns.hold(() => this.#options.rewrite(), UNHURRIED_MS);
    return SCRUB_LIMITS;
  }

  async copyInto(folder: string, options: CopyOptions): Promise<StoreCopy> {
    this.#refuseWhenClosed();
    return this.#options.copy(folder, options);
  }

  schemaChanged(): void {
    this.#writer?.forgetStatements();
    this.#readers.forgetStatements();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#listeners.clear();
    await this.#readers.drain();
    await this.#turns.hold(async () => {
      this.#writer?.checkpoint();
      this.#writer?.close();
    }, TURN_LIMIT_MS);
  }

  /**
   * The lock is asked for without waiting in SQLite, which would stop this thread, and with it the holder of the lock
   * when that is another store of this process.
   */
  async #begin(patienceMs: number): Promise<SqliteConnection> {
    const deadline = performance.now() + patienceMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      const writer = this.#usableWriter();
      try {
        writer.exec('BEGIN IMMEDIATE');
        return writer;
      } catch (error) {
        if (!isBusy(error) || performance.now() >= deadline) throw this.#failed(error, toServiceError(error));
      }
      // Processes that ask in step would keep missing each other.
      await sleep(pause * (0.5 + Math.random()));
    }
  }

  /** A connection whose transaction cannot be rolled back even now is given up for another. */
  #usableWriter(): SqliteConnection {
    if (this.#writer !== undefined && !endTransaction(this.#writer)) {
      this.#writer.close();
      this.#writer = undefined;
    }
    this.#writer ??= this.#options.openWriter();
    return this.#writer;
  }

  async #inTransaction<T>(writer: SqliteConnection, work: (session: SqliteSession) => Promise<T>): Promise<T> {
    const session = new SqliteSession(writer, this.#knex);
    let result: T;
    try {
      result = await work(session);
      // Other processes see that something was committed, and only if something was written.
      if (session.signals !== undefined) await session.run(SMALLEST_WRITE, []);
      if (session.failure !== undefined) throw session.failure;
    } catch (error) {
      endTransaction(writer);
      throw this.#failed(error, error);
    } finally {
      session.end();
    }
    try {
      writer.exec('COMMIT');
    } catch (error) {
      endTransaction(writer);
      throw this.#failed(error, toCommitError(error));
    }
    this.#inDoubt = false;
    if (session.signals !== undefined) this.#listeners.call(session.signals);
    return result;
  }

  #alone(sql: string, parameters: readonly SqlValue[], kind: 'read' | 'write'): Promise<StatementOutcome> {
    const perform = async (session: SqliteSession): Promise<StatementOutcome> => session.perform(sql, parameters);
    return kind === 'read' ? this.read(perform) : this.write('', perform);
  }

  #failed(error: unknown, reported: unknown): unknown {
    const cause = error instanceof ServiceError ? error.cause : error;
    if (isResourceFailure(cause)) this.#inDoubt = true;
    return reported;
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) {
      throw new ServiceError('unavailable', 'the store is closed', { hint: 'the node is stopping' });
    }
  }
}

const beginRead = (connection: SqliteConnection): void => {
  try {
    connection.exec('BEGIN');
  } catch (error) {
    throw toServiceError(error);
  }
};
