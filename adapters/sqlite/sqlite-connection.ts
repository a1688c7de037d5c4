import type { SqlValue } from '../../ports/ports.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.ts';
import type { StatementOutcome } from './sqlite-knex-client.ts';

/** The maximum number of prepared statements per connection. The node itself uses some sixty often. */
const CACHED_STATEMENTS = 256;

/** A prepared statement that returns rows as arrays. */
export interface CachedStatement {
  readonly statement: SqliteStatement;
  /** The names of the result's columns; empty for a statement without rows. Refreshed after a change of the schema. */
  columns: readonly string[];
}

/**
 * A database handle with its prepared statements. It references the handle, because statements fail after the handle is
 * garbage-collected.
 */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  /** Statements in the order of their last use, oldest first. */
  readonly #statements = new Map<string, CachedStatement>();

  #schemaProbe: SqliteStatement | undefined;

  constructor(database: SqliteDatabase) {
    this.#database = database;
  }

  get isTransaction(): boolean {
    return this.#database.isTransaction;
  }

  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Begins a transaction. Ends the former one first, if its rollback failed. Throws the driver's own error. */
  begin(statement: 'BEGIN' | 'BEGIN IMMEDIATE'): void {
    if (this.isTransaction) this.exec('ROLLBACK');
    this.exec(statement);
  }

  prepare(sql: string): CachedStatement {
    const known = this.#statements.get(sql);
    if (known !== undefined) {
      this.#statements.delete(sql);
      this.#statements.set(sql, known);
      return known;
    }
    this.#seeSchema();
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const fresh = { statement, columns: namesOf(statement) };
    this.#statements.set(sql, fresh);
    if (this.#statements.size > CACHED_STATEMENTS) this.#dropOldest();
    return fresh;
  }

  /**
   * Detects a change of the schema by another connection before it prepares a statement. SQLite detects it only when
   * the statement runs, which is too late for the column names of a `SELECT *`.
   */
  #seeSchema(): void {
    this.#schemaProbe ??= this.#database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1');
    this.#schemaProbe.all();
  }

  rows(sql: string, parameters: readonly SqlValue[]): SqlValue[][] {
    return this.prepare(sql).statement.all(...parameters) as SqlValue[][];
  }

  forgetStatements(): void {
    this.#statements.clear();
  }

  /** Frees the cached pages. Never throws, because the pages are only copies. */
  releaseMemory(): void {
    try {
      this.#database.exec('PRAGMA shrink_memory');
    } catch {
      // The pages stay until they are replaced.
    }
  }

  /** Moves the log into the file, unless another process uses it, so that the file alone is a copy of the store. */
  checkpoint(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // Ignores a failure, because the log is as durable as the file and the next start reads it.
    }
  }

  /**
   * Moves the log into the file, so that the next write begins the log anew. Returns false while a read or another
   * process still needs a part of it.
   */
  restartLog(): boolean {
    try {
      const [[isBlocked] = []] = this.rows('PRAGMA wal_checkpoint(RESTART)', []);
      return isBlocked === 0;
    } catch {
      return false;
    }
  }

  /** Moves the log into the file after a commit with which it has so many pages; never for 0. */
  checkpointFrom(pages: number): void {
    // SQLite follows this statement when it is prepared, so that a kept one would do nothing.
    this.#database.exec(`PRAGMA wal_autocheckpoint = ${pages}`);
  }

  /** Closes the handle. Never throws, because all data is in the file. */
  close(): void {
    // The handle outlives this call until its statements are collected, and its pages would live as long.
    this.releaseMemory();
    this.#statements.clear();
    this.#schemaProbe = undefined;
    try {
      this.#database.close();
    } catch {
      // The handle was closed already, or its disk is gone.
    }
  }

  #dropOldest(): void {
    for (const oldest of this.#statements.keys()) {
      this.#statements.delete(oldest);
      return;
    }
  }
}

/** Rolls back the open transaction. After a failure, the next `begin` of the connection tries again. */
export const endTransaction = (connection: SqliteConnection): void => {
  try {
    if (connection.isTransaction) connection.exec('ROLLBACK');
  } catch {
    // Nothing was committed, which is all that callers need.
  }
};

/** Runs a statement with or without rows. */
export const outcomeOf = (cached: CachedStatement, parameters: readonly SqlValue[]): StatementOutcome => {
  if (cached.columns.length === 0) {
    const { changes, lastInsertRowid } = cached.statement.run(...parameters);
    return { rows: undefined, changes: Number(changes), lastInsertRowid };
  }
  const rows = recordsOf(cached, cached.statement.all(...parameters) as SqlValue[][]);
  return { rows, changes: rows.length, lastInsertRowid: 0 };
};

/** Turns rows into objects. Another process may have added columns since the statement was prepared. */
export const recordsOf = (cached: CachedStatement, rows: readonly SqlValue[][]): Record<string, SqlValue>[] => {
  const [first] = rows;
  if (first !== undefined && first.length !== cached.columns.length) cached.columns = namesOf(cached.statement);
  const { columns } = cached;
  return rows.map((row) => {
    const record: Record<string, SqlValue> = {};
    for (let at = 0; at < columns.length; at += 1) record[columns[at] as string] = row[at] as SqlValue;
    return record;
  });
};

const namesOf = (statement: SqliteStatement): string[] => statement.columns().map(({ name }) => name);
