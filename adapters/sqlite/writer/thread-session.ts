import type { Knex } from 'knex';
import type { SqlValue } from '../../../ports/ports.ts';
import type { InsertTarget, SqlParameter } from '../../sql/sql-engine.ts';
import { insertStatement } from '../insert-statement.ts';
import { toServiceError } from '../sqlite-errors.ts';
import type { StatementOutcome } from '../sqlite-knex-client.ts';
import type { SqliteSession } from '../sqlite-session.ts';
import type { EarlyReads } from './early-reads.ts';
import { SMALLEST_WRITE, type WriteSession } from './sqlite-writer.ts';
import { sendable, type WriterStep } from './writer-messages.ts';
import type { WriterThread } from './writer-thread.ts';

/**
 * The number of rows after which a batch is sent, so that the thread inserts them while the caller makes the next ones.
 */
const MOST_ROWS = 256;

/**
 * Recognises statements that may run on the reading connection. Any other one may change data, or depend on its
 * connection.
 */
const READS = /^\s*SELECT\b/i;

/** The maximum number of remembered insert statements, far more than the node has. */
const MOST_PROVEN = 1_000;

export interface ThreadSessionParts {
  readonly thread: WriterThread;
  readonly early: EarlyReads;
  readonly knex: Knex;
  /** Insert statements that have succeeded before. */
  readonly proven: Set<string>;
}

/**
 * A write transaction whose statements run in another thread. Until its first change, it reads in this thread. It
 * queues changes, so that they leave together, at best with the commit. It stores its first failure, because a
 * transaction with a failed statement must not be committed.
 */
export class ThreadSession implements WriteSession {
  readonly #thread: WriterThread;
  readonly #early: EarlyReads;
  readonly #knex: Knex;
  readonly #proven: Set<string>;
  #reads: SqliteSession | undefined;
  #pending: WriterStep[] = [];
  #rows = 0;
  /** The result of the last steps that were sent without waiting. */
  #underWay: Promise<void> = Promise.resolve();
  #changed = false;
  #open = true;
  #failure: unknown;
  #signals: Set<string> | undefined;

  constructor({ thread, early, knex, proven }: ThreadSessionParts) {
    this.#thread = thread;
    this.#early = early;
    this.#knex = knex;
    this.#proven = proven;
  }

  /** Topics to signal with the commit; undefined without any. */
  get signals(): ReadonlySet<string> | undefined {
    return this.#signals;
  }

  /** Commits the changes of the work. Rejects with the first failure. */
  async commit(): Promise<void> {
    await this.#underWay;
    this.#refuseAfterEnd();
    this.#end();
    // Writes a little, because other processes detect only a commit that changes something.
    if (this.#signals !== undefined) this.#pending.push({ do: 'run', sql: SMALLEST_WRITE, sets: [[]] });
    await this.#send({ do: 'commit' });
  }

  /**
   * Never rejects. If the rollback fails now, it happens before the next transaction, or with the end of the thread.
   */
  async rollBack(): Promise<void> {
    this.#end();
    await this.#thread.send([{ do: 'rollback' }]).catch(() => {});
  }

  async rows(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue[][]> {
    if (this.#readsHere(sql)) return this.#here((reads) => reads.rows(sql, parameters));
    const [rows] = (await this.#ask({ do: 'rows', sql, sets: [sendable(parameters as SqlValue[])] })) as SqlValue[][][];
    return rows as SqlValue[][];
  }

  async rowsOfEach(sql: string, sets: readonly (readonly SqlParameter[])[]): Promise<SqlValue[][][]> {
    if (this.#readsHere(sql)) return this.#here((reads) => reads.rowsOfEach(sql, sets));
    const asked = sets.map((parameters) => sendable(parameters as SqlValue[]));
    return (await this.#ask({ do: 'rows', sql, sets: asked })) as SqlValue[][][];
  }

  async records(sql: string, parameters: readonly SqlParameter[]): Promise<Record<string, SqlValue>[]> {
    const { rows } = await this.perform(sql, parameters as SqlValue[]);
    return rows ?? [];
  }

  async run(sql: string, parameters: readonly SqlParameter[]): Promise<number> {
    return (await this.#ask({ do: 'run', sql, sets: [sendable(parameters as SqlValue[])] })) as number;
  }

  async post(sql: string, parameters: readonly SqlParameter[]): Promise<void> {
    await this.#keep({ do: 'run', sql, sets: [sendable(parameters as SqlValue[])] }, 1);
  }

  /** Waits for the first rows of a table, so that a missing table or column is reported at once. */
  async insert(into: InsertTarget, rows: readonly (readonly SqlParameter[])[]): Promise<void> {
    const sql = insertStatement(into);
    const step: WriterStep = { do: 'run', sql, sets: rows.map((row) => sendable(row as SqlValue[])) };
    if (this.#proven.has(sql)) return this.#keep(step, rows.length);
    await this.#ask(step);
    if (this.#proven.size < MOST_PROVEN) this.#proven.add(sql);
  }

  table(name: string): Knex.QueryBuilder {
    // Passes this session as the builder's connection, so that it refuses statements after the end of the transaction.
    return this.#knex(name).connection(this);
  }

  schema(): Knex.SchemaBuilder {
    return this.#knex.schema.connection(this);
  }

  signal(topic: string): void {
    if (!this.#open) throw new Error('the snapshot or transaction has ended');
    this.#signals ??= new Set();
    this.#signals.add(topic);
  }

  /** Runs a query builder's statement. */
  async perform(sql: string, parameters: readonly SqlValue[]): Promise<StatementOutcome> {
    if (this.#readsHere(sql)) return this.#here(async (reads) => reads.perform(sql, parameters));
    return (await this.#ask({ do: 'perform', sql, parameters: sendable(parameters) })) as StatementOutcome;
  }

  #readsHere(sql: string): boolean {
    this.#refuseAfterEnd();
    return !this.#changed && READS.test(sql);
  }

  async #here<T>(read: (reads: SqliteSession) => Promise<T>): Promise<T> {
    try {
      this.#reads ??= this.#early.begin();
      return await read(this.#reads);
    } catch (error) {
      throw this.#fail(toServiceError(error));
    }
  }

  /** Queues a change until a later statement must see it. */
  async #keep(step: WriterStep, rows: number): Promise<void> {
    this.#change();
    this.#pending.push(step);
    this.#rows += rows;
    if (this.#rows < MOST_ROWS) return;
    // Waits until the thread has at most one unfinished list, so that a large transaction does not fill its memory.
    const before = this.#underWay;
    this.#underWay = this.#send().then(
      () => {},
      (error: unknown) => void this.#fail(error),
    );
    await before;
  }

  async #ask(step: WriterStep): Promise<unknown> {
    this.#change();
    try {
      return await this.#send(step);
    } catch (error) {
      throw this.#fail(error);
    }
  }

  #send(...more: readonly WriterStep[]): Promise<unknown> {
    const steps = [...this.#pending, ...more];
    this.#pending = [];
    this.#rows = 0;
    return this.#thread.send(steps);
  }

  #change(): void {
    this.#refuseAfterEnd();
    this.#changed = true;
    this.#endReads();
  }

  #endReads(): void {
    if (this.#reads === undefined) return;
    this.#reads.end();
    this.#reads = undefined;
    this.#early.end();
  }

  #end(): void {
    this.#open = false;
    this.#endReads();
  }

  #refuseAfterEnd(): void {
    if (!this.#open) throw new Error('the snapshot or transaction has ended');
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Records a failure. Returns the first one, with which later statements reject as well. */
  #fail(error: unknown): unknown {
    this.#failure ??= error;
    return this.#failure;
  }
}
