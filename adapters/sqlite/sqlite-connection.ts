import type { SqlValue } from '../../ports/ports.ts';
import type { SqliteDatabase, SqliteStatement } from './sqlite-driver.ts';
import type { StatementOutcome } from './sqlite-knex-client.ts';

/** Statements kept prepared per connection; the node's own hot ones number some sixty. */
const KEPT_STATEMENTS = 256;

/** A prepared statement whose rows come as arrays. */
export interface KeptStatement {
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
  readonly #kept = new Map<string, KeptStatement>();

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

  prepare(sql: string): KeptStatement {
    const known = this.#kept.get(sql);
    if (known !== undefined) {
      this.#kept.delete(sql);
      this.#kept.set(sql, known);
      return known;
    }
    this.#seeSchema();
    const statement = this.#database.prepare(sql);
    statement.setReturnArrays(true);
    const fresh = { statement, columns: namesOf(statement) };
    this.#kept.set(sql, fresh);
    if (this.#kept.size > KEPT_STATEMENTS) this.#dropOldest();
    return fresh;
  }

  /**
   * A statement is prepared against the schema that the connection remembers, and only when it runs does SQLite notice
   * that another connection has changed it: too late for a `SELECT *` that has told its columns.
   */
  #seeSchema(): void {
    this.#schemaProbe ??= this.#database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1');
    this.#schemaProbe.all();
  }

  rows(sql: string, parameters: readonly SqlValue[]): SqlValue[][] {
    return this.prepare(sql).statement.all(...parameters) as SqlValue[][];
  }

  forgetStatements(): void {
    this.#kept.clear();
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
    this.#kept.clear();
    try {
      this.#database.close();
    } catch {
      // Closed already, or lost with its disk.
    }
  }

  #dropOldest(): void {
    for (const oldest of this.#kept.keys()) {
      this.#kept.delete(oldest);
      return;
    }
  }
}

/** Rolls back what is open. False when that fails, so that the connection is of no further use. */
export const endTransaction = (connection: SqliteConnection): boolean => {
  try {
    if (connection.isTransaction) connection.exec('ROLLBACK');
    return !connection.isTransaction;
  } catch {
    return false;
  }
};

/** Runs a statement of which nobody knows whether it gives rows. */
export const outcomeOf = (kept: KeptStatement, parameters: readonly SqlValue[]): StatementOutcome => {
  if (kept.columns.length === 0) {
    const { changes, lastInsertRowid } = kept.statement.run(...parameters);
    return { rows: undefined, changes: Number(changes), lastInsertRowid };
  }
  const rows = recordsOf(kept, kept.statement.all(...parameters) as SqlValue[][]);
  return { rows, changes: rows.length, lastInsertRowid: 0 };
};

/** Rows as objects. Another process may have added columns since the statement was prepared. */
export const recordsOf = (kept: KeptStatement, rows: readonly SqlValue[][]): Record<string, SqlValue>[] => {
  const [first] = rows;
  if (first !== undefined && first.length !== kept.columns.length) kept.columns = namesOf(kept.statement);
  const { columns } = kept;
  return rows.map((row) => {
    const record: Record<string, SqlValue> = {};
    for (let at = 0; at < columns.length; at += 1) record[columns[at] as string] = row[at] as SqlValue;
    return record;
  });
};

const namesOf = (statement: SqliteStatement): string[] => statement.columns().map(({ name }) => name);
