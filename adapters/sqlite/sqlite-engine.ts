import type { Knex } from 'knex';
import {
  type ChangeRecorder,
  type CopyOptions,
  type RecordOptions,
  ServiceError,
  type SqlValue,
  type StoreCopy,
  type StructureCheck,
  type StructureProgress,
} from '../../ports/ports.ts';
import { FifoLock, UNHURRIED_MS } from '../sql/fifo-lock.ts';
import { SignalListeners } from '../sql/signal-listeners.ts';
import type { SqlEngine, WriteManner } from '../sql/sql-engine.ts';
import { checkStructure } from './check-structure.ts';
import type { FilesInPlace } from './files-in-place.ts';
import { LogRestarts } from './log-restarts.ts';
import { CHECKPOINT_PAGES } from './open-connection.ts';
import { ReaderPool } from './reader-pool.ts';
import { RowPace } from './row-pace.ts';
import type { SqliteConnection } from './sqlite-connection.ts';
import { sqliteDialect } from './sqlite-dialect.ts';
import { isResourceFailure, toServiceError } from './sqlite-errors.ts';
import { createSqliteBuilders, type StatementOutcome } from './sqlite-knex-client.ts';
import { SqliteSession } from './sqlite-session.ts';
import { StoreVersion } from './store-version.ts';
import { SMALLEST_WRITE, type SqliteWriter, type WriteSession } from './writer/sqlite-writer.ts';

export interface SqliteEngineOptions {
  /** Starts the writer. Statements of the query builders run on the transaction that they get. */
  startWriter(knex: Knex): SqliteWriter;
  openReader(): SqliteConnection;
  readonly files: Pick<FilesInPlace, 'require' | 'requireWhole' | 'requireCommit' | 'isLogEmpty' | 'logBytes'>;
  /** Destroys the remains of deleted rows in the file, and empties the log. Blocks writes only inside `turn`. */
  scrub(turn: (work: () => Promise<void>) => Promise<void>): Promise<void>;
  /** Copies the committed contents of the file into a new one in the folder. */
  copy(folder: string, options: CopyOptions): Promise<StoreCopy>;
  record(folder: string, options: RecordOptions): ChangeRecorder;
  /** Milliseconds that a write waits while another process holds the lock. */
  readonly busyTimeoutMs: number;
}

/** The time that a write waits for earlier ones of this process. Others wait on SQLite's lock. */
const TURN_LIMIT_MS = 5_000;

const SCRUB_LIMITS: readonly string[] = [
  'blocks of the disk, and snapshots of the file system, that held earlier states of the file of the store',
];

/** The engine on one file in WAL mode: a connection that writes, and several that read. */
export class SqliteEngine implements SqlEngine {
  readonly dialect = sqliteDialect;
  readonly #options: SqliteEngineOptions;
  readonly #knex: Knex = createSqliteBuilders({ perform: (...statement) => this.#alone(...statement) });
  readonly #turns = new FifoLock();
  readonly #readers: ReaderPool;
  readonly #pace = new RowPace();
  /** Watches the writer for commits of other processes. The engine itself sends the signals of this process. */
  readonly #listeners = new SignalListeners(() => this.#writer.watch(() => this.#listeners.callAll()));
  readonly #writer: SqliteWriter;
  readonly #version: StoreVersion;
  readonly #logRestarts: LogRestarts;
  /**
   * True at first, and after a write failed by the disk, the memory or the file, until a `ping` has written. Only a
   * real write shows whether the store works: SQLite opens a file without the right to write for reading, and begins
   * and ends empty transactions on it.
   */
  #inDoubt = true;
  #holdsCheckpoints = false;
  #closing: Promise<void> | undefined;

  constructor(options: SqliteEngineOptions) {
    this.#options = options;
    this.#writer = options.startWriter(this.#knex);
    this.#readers = new ReaderPool(options.openReader);
    this.#version = new StoreVersion(options.openReader);
    this.#logRestarts = new LogRestarts({
      logBytes: () => options.files.logBytes,
      restart: () => this.#writer.restartLog(),
      inTurn: (work) => this.#turns.hold(work, TURN_LIMIT_MS),
    });
  }

  async read<T>(work: (session: SqliteSession) => Promise<T>): Promise<T> {
    this.#refuseWhenClosed();
    return this.#readers.lend(async (connection) => {
      beginRead(connection);
      const session = new SqliteSession(connection, this.#knex, this.#pace);
      try {
        const result = work(session);
        if (!session.used) session.pin();
        return await result;
      } finally {
        session.end();
      }
    });
  }

  /** Runs a write. It ignores the name of the lock, because SQLite has one writer for everything. */
  async write<T>(
    _lock: string,
    work: (session: WriteSession) => Promise<T>,
    { unhurried = false }: WriteManner = {},
  ): Promise<T> {
    this.#refuseWhenClosed();
    const patienceMs = unhurried ? Number.POSITIVE_INFINITY : this.#options.busyTimeoutMs;
    const startedMs = performance.now();
    // Subtracts the wait for earlier writes, so that both waits together take at most `patienceMs`.
    const transact = () => this.#transact(work, Math.max(0, patienceMs - (performance.now() - startedMs)));
    const result = await this.#turns.hold(transact, unhurried ? UNHURRIED_MS : TURN_LIMIT_MS);
    this.#logRestarts.committed();
    return result;
  }

  table(name: string): Knex.QueryBuilder {
    return this.#knex(name);
  }

  onSignal(topic: string, listener: () => void): () => void {
    return this.#closing === undefined ? this.#listeners.add(topic, listener) : () => {};
  }

  async ping(): Promise<void> {
    this.#refuseWhenClosed();
    const probe = async (session: WriteSession): Promise<void> => {
      if (this.#inDoubt || this.#options.files.isLogEmpty) await session.run(SMALLEST_WRITE, []);
    };
    const check = async (): Promise<void> => {
      await this.#transact(probe, this.#options.busyTimeoutMs);
      // Within the turn, so that it cannot undo the doubt that the next write raises.
      this.#inDoubt = false;
    };
    await this.#turns.hold(check, TURN_LIMIT_MS);
  }

  async scrub(): Promise<readonly string[]> {
    this.#requireUsable();
    await this.#options.scrub((work) => this.#turns.hold(work, UNHURRIED_MS));
    return SCRUB_LIMITS;
  }

  async copyInto(folder: string, options: CopyOptions): Promise<StoreCopy> {
    this.#requireUsable();
    return this.#options.copy(folder, options);
  }

  recordChanges(folder: string, options: RecordOptions): ChangeRecorder {
    this.#requireUsable();
    return this.#options.record(folder, options);
  }

  checkStructure(onProgress: StructureProgress): Promise<StructureCheck> {
    return this.read((session) => checkStructure(session, onProgress));
  }

  version(): number | undefined {
    return this.#closing === undefined ? this.#version.read() : undefined;
  }

  schemaChanged(): void {
    this.#writer.forgetStatements();
    this.#readers.forgetStatements();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    this.#listeners.clear();
    this.#logRestarts.end();
    this.#version.close();
    await this.#readers.drain();
    await this.#turns.hold(() => this.#writer.close(), UNHURRIED_MS);
  }

  async #transact<T>(work: (session: WriteSession) => Promise<T>, patienceMs: number): Promise<T> {
    const inPlace = async (session: WriteSession): Promise<T> => {
      const result = await work(session);
      this.#options.files.requireWhole();
      await this.#holdCheckpoints();
      return result;
    };
    try {
      const { result, signals } = await this.#writer.transact(inPlace, patienceMs);
      this.#options.files.requireCommit();
      await this.#resumeCheckpoints();
      if (signals !== undefined) this.#listeners.call(signals);
      return result;
    } catch (error) {
      if (isResourceFailure(error instanceof ServiceError ? error.cause : error)) this.#inDoubt = true;
      throw error;
    }
  }

  /** A commit behind a hole in the log must not move the log into the file. Only a look after the commit shows one. */
  async #holdCheckpoints(): Promise<void> {
    if (!this.#options.files.isLogEmpty) return;
    this.#holdsCheckpoints = true;
    await this.#writer.checkpointFrom(0);
  }

  async #resumeCheckpoints(): Promise<void> {
    if (!this.#holdsCheckpoints) return;
    // A thread that has ended needs no answer: the next one opens its connection with checkpoints.
    await this.#writer.checkpointFrom(CHECKPOINT_PAGES).catch(() => {});
    this.#holdsCheckpoints = false;
  }

  #alone(sql: string, parameters: readonly SqlValue[], kind: 'read' | 'write'): Promise<StatementOutcome> {
    const perform = async (session: WriteSession): Promise<StatementOutcome> => session.perform(sql, parameters, kind);
    return kind === 'read' ? this.read(perform) : this.write('', perform);
  }

  /** For work of another process, which opens the files by their paths. */
  #requireUsable(): void {
    this.#refuseWhenClosed();
    this.#options.files.require();
  }

  #refuseWhenClosed(): void {
    if (this.#closing !== undefined) {
      throw new ServiceError('unavailable', 'the store is closed', { hint: 'the node is stopping' });
    }
  }
}

const beginRead = (connection: SqliteConnection): void => {
  try {
    connection.begin('BEGIN');
  } catch (error) {
    throw toServiceError(error);
  }
};
