import type { Knex } from 'knex';
import type { CopyOptions, SqlValue, StoreCopy } from '../../ports/ports.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** A value for one `?`. Arrays are for engines whose dialect binds lists as such. */
export type SqlParameter = SqlValue | readonly string[] | readonly number[];

export interface InsertTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** Columns of a unique key: a row whose values there are taken is left out instead of failing. */
  readonly unlessTaken?: readonly string[];
}

/**
 * One connection inside one transaction. Statements mark parameters with `?`, contain no other question mark and no
 * values, and are prepared once per connection and text. Every call throws once the transaction has ended; when a
 * statement of a write fails, the transaction can only be rolled back, on every engine alike.
 */
export interface SqlSession {
  /** Rows as arrays, columns in the order of the select list. The fastest way to read. */
  rows(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue[][]>;
  /** The rows for every set of parameters, each at the place of its set. */
  rowsOfEach(sql: string, sets: readonly (readonly SqlParameter[])[]): Promise<SqlValue[][][]>;
  /** Rows as objects. */
  records(sql: string, parameters: readonly SqlParameter[]): Promise<Record<string, SqlValue>[]>;
  /** Number of rows changed. */
  run(sql: string, parameters: readonly SqlParameter[]): Promise<number>;
  /**
   * Changes rows of a table that the transaction inserts nothing into, without waiting for the outcome. A failure may
   * show only with a later call, or with the commit.
   */
  post(sql: string, parameters: readonly SqlParameter[]): Promise<void>;
  /** A row that the table does not take fails the transaction, with this call, a later one or the commit. */
  insert(into: InsertTarget, rows: readonly (readonly SqlParameter[])[]): Promise<void>;
  /** Builder bound to this transaction. */
  table(name: string): Knex.QueryBuilder;
  /** A fresh schema builder bound to this transaction. */
  schema(): Knex.SchemaBuilder;
  /** Raises a signal with the commit. Throws in a transaction that cannot write. */
  signal(topic: string): void;
}

export interface WriteManner {
  /** Waits and works without a time limit: for changes of the schema. */
  readonly unhurried?: boolean;
}

/** Connections, transactions and errors of one database. All errors that mean its state are `ServiceError`s already. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  /** Runs `work` on a consistent view of the commits before the call. */
  read<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction that holds the named lock from before its first statement until after its commit, over
   * all processes. Commits when `work` resolves, rolls back when it rejects. `work` may run again, in a transaction of
   * its own, when the database calls the first one off.
   */
  write<T>(lock: string, work: (session: SqlSession) => Promise<T>, manner?: WriteManner): Promise<T>;
  /** Builder on no transaction: each of its queries is one of its own. */
  table(name: string): Knex.QueryBuilder;
  /** See `FactStore.onSignal`. */
  onSignal(topic: string, listener: () => void): () => void;
  /** Resolves when a write could be made now. */
  ping(): Promise<void>;
  /** See `FactStore.version`. */
  version?(): number | undefined;
  /** The tables have changed: nothing prepared before may be reused. */
  schemaChanged(): void;
  /** See `FactStore.scrub`. */
  scrub(): Promise<readonly string[]>;
  /** See `FactStore.copyInto`. */
  copyInto(folder: string, options: CopyOptions): Promise<StoreCopy>;
  /** Waits for running work, then closes. Idempotent. */
  close(): Promise<void>;
}
