import type { SqlValue } from '../../ports/ports.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.ts';
import type { StatementOutcome } from './sqlite-knex-client.ts';

/** Prepared statements cached per connection; the node's own hot ones number some sixty. */
const CACHED_STATEMENTS = 256;

/** A prepared statement whose rows come as arrays. */
export interface CachedStatement {
  readonly statement: SqliteStatement;
  /** Names of the result's columns; empty for a statement without rows. Refreshed when the schema changes. */
  columns: readonly string[];
}

/**
 * A database handle with the statements prepared on it. Holds the handle: were it collected, its statements would fail.
 */
export class SqliteConnection {
  readonly #database: SqliteDatabase;
  /** In order of use, oldest first. */
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
   * Notices a change of the schema by another connection before a statement is prepared. SQLite notices it only when
   * the statement runs, which is too late for a `SELECT *` that has told its columns.
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

  /**
   * Empties the log into the file, unless another process is using it, so that the file alone is a copy of the store.
   */
  checkpoint(): void {
    try {
      this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    } catch {
      // The log is as durable as the file; the next start reads it.
    }
  }

  /** Never throws: a handle that fails to close holds nothing that the file does not. */
  close(): void {
    this.#statements.clear();
    try {
      this.#database.close();
    } catch {
      // Closed already, or lost with its disk.
    }
  }

  #dropOldest(): void {
    for (const oldest of this.#statements.keys()) {
      this.#statements.delete(oldest);
      return;
    }
  }
}

/** Rolls back the open transaction. Returns false when that fails: the connection is of no further use then. */
export const endTransaction = (connection: SqliteConnection): boolean => {
  try {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    return !connection.isTransaction;
  } catch {
    return false;
  }
};

/** Runs a statement that may or may not return rows. */
export const outcomeOf = (cached: CachedStatement, parameters: readonly SqlValue[]): StatementOutcome => {
  if (cached.columns.length === 0) {
    const { changes, lastInsertRowid } = cached.statement.run(...parameters);
    return { rows: undefined, changes: Number(changes), lastInsertRowid };
  }
  const rows = recordsOf(cached, cached.statement.all(...parameters) as SqlValue[][]);
  return { rows, changes: rows.length, lastInsertRowid: 0 };
};

/** Rows as objects. Another process may have added columns since the statement was prepared. */
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
