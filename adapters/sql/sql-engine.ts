import type { Knex } from 'knex';
import type {
  ChangeRecorder,
  CopyOptions,
  ReadReplica,
  RecordOptions,
  SqlValue,
  StoreCopy,
  StructureCheck,
  StructureProgress,
} from '../../ports/ports.ts';
import type { SqlDialect } from './sql-dialect.ts';

/** A value for one `?`. Arrays are only for engines whose dialect binds lists as arrays. */
export type SqlParameter = SqlValue | readonly string[] | readonly number[];

export interface InsertTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** The columns of a unique key. A row whose key exists is skipped instead of failing. */
  readonly unlessTaken?: readonly string[];
}

/**
 * A connection inside one transaction. Statements mark parameters with `?`, contain no other question mark and no
 * values, and are prepared once per connection and text. Every call throws after the end of the transaction. After a
 * statement of a write has failed, the transaction can only be rolled back.
 */
export interface SqlSession {
  /**
   * Lets other work of this thread run between two statements. Undefined on an engine whose statements run elsewhere,
   * where a long one delays nobody.
   */
  rest?(): Promise<void>;
  /** Returns rows as arrays, with columns in the order of the select list. The fastest way to read. */
  rows(sql: string, parameters: readonly SqlParameter[]): Promise<SqlValue[][]>;
  /** Returns the rows for every set of parameters, in the order of the sets. */
  rowsOfEach(sql: string, sets: readonly (readonly SqlParameter[])[]): Promise<SqlValue[][][]>;
  /** Returns rows as objects. */
  records(sql: string, parameters: readonly SqlParameter[]): Promise<Record<string, SqlValue>[]>;
  /** Returns the number of changed rows. */
  run(sql: string, parameters: readonly SqlParameter[]): Promise<number>;
  /**
   * Changes rows of a table into which the transaction inserts nothing, without waiting for the outcome. A failure may
   * appear only with a later call, or with the commit.
   */
  post(sql: string, parameters: readonly SqlParameter[]): Promise<void>;
  /** Inserts rows. A row that the table refuses fails the transaction, at this call, a later one or the commit. */
  insert(into: InsertTarget, rows: readonly (readonly SqlParameter[])[]): Promise<void>;
  /** Returns a query builder on this transaction. */
  table(name: string): Knex.QueryBuilder;
  /** Returns a new schema builder on this transaction. */
  schema(): Knex.SchemaBuilder;
  /** Sends a signal with the commit. Throws in a read-only transaction. */
  signal(topic: string): void;
}

export interface WriteManner {
  /** True for a write without time limits, for schema changes. */
  readonly unhurried?: boolean;
}

/** Connections, transactions and errors of one database. All errors about its state are `ServiceError`s. */
export interface SqlEngine {
  readonly dialect: SqlDialect;
  /** Runs `work` on a consistent view of the commits before the call. */
  read<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction that holds the named lock from before its first statement until after its commit, over
   * all processes. Commits when `work` resolves, rolls back when it rejects. When the database aborts the transaction,
   * `work` may run again in a new one.
   */
  write<T>(lock: string, work: (session: SqlSession) => Promise<T>, manner?: WriteManner): Promise<T>;
  /** Returns a query builder outside transactions. Each of its queries is a transaction of its own. */
  table(name: string): Knex.QueryBuilder;
  /** See `FactStore.onSignal`. */
  onSignal(topic: string, listener: () => void): () => void;
  /** Resolves when a write is possible now. */
  ping(): Promise<void>;
  /** See `FactStore.replicas`. */
  replicas?(): Promise<readonly ReadReplica[]>;
  /** See `FactStore.version`. */
  version?(): number | undefined;
  /** Discards everything prepared, after a change of the tables. */
  schemaChanged(): void;
  /** See `FactStore.scrub`. */
  scrub(): Promise<readonly string[]>;
  /** See `FactStore.copyInto`. */
  copyInto(folder: string, options: CopyOptions): Promise<StoreCopy>;
  /** See `FactStore.recordChanges`. */
  recordChanges?(folder: string, options: RecordOptions): ChangeRecorder;
  /** See `FactStore.checkStructure`. */
  checkStructure(onProgress: StructureProgress): Promise<StructureCheck>;
  /** Waits for running work, then closes. Idempotent. */
  close(): Promise<void>;
}
