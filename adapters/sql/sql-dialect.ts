import type { SchemaDialect } from '../../ports/ports.ts';
import type { SqlParameter } from './sql-engine.ts';

/** The kind of a parameter: `whole` is a safe integer, `number` any other number. */
export type ValueKind = 'text' | 'whole' | 'number';

/** The differences between SQLite and PostgreSQL in common statements. Think again before a tenth member. */
export interface SqlDialect {
  /**
   * Returns a `?` for a value of the kind, with a cast where the engine would otherwise take the type of the column and
   * refuse 0.5 or 1e300.
   */
  mark(kind: ValueKind): string;
  /**
   * Returns a condition that `column` equals one of a list. The list is bound as one `?`, so that lists of any length
   * share a statement.
   */
  inList(column: string, of: ValueKind): string;
  /** Returns the list in the form that `inList` needs. */
  listParameter(values: readonly string[] | readonly number[]): SqlParameter;
  /** Returns a condition that the SELECT has a row. */
  exists(select: string): string;
  /** Returns the SQL for the position of a `?` in a text, counted from 1; 0 when the text does not contain it. */
  position(text: string): string;
  /**
   * Returns the clause of a SELECT that locks its rows of the table `alias` until the transaction ends. Returns an
   * empty text on an engine with a single writer.
   */
  forUpdateOf(alias: string): string;
  /** The statements that delete a tenant's rows in pieces. */
  readonly removal: RowRemoval;
  readonly schema: SchemaDialect;
  readonly queries: DatabaseQueries;
}

export interface RowRemoval {
  /** Selects every table with a column `tenant_id`, and the key of its rows, as two columns. */
  readonly tables: string;
  /** Returns a statement that deletes some rows of a tenant. Parameters: the tenant, and the maximum number of rows. */
  statement(table: string, key: string): string;
}

/** Queries about the database itself. */
export interface DatabaseQueries {
  /** Selects the names of all tables, as one column. */
  readonly tableNames: string;
  /** Selects the column names of a table, as one column. Parameter: the name of the table. */
  readonly columnNames: string;
  /** Selects the current time of the database in milliseconds since the epoch, not the start of the transaction. */
  readonly nowMs: string;
  /**
   * Distinguishes histories of a database with the same stored epoch, for example after a failover. `mayRead` checks
   * the permission, `read` returns the columns. Undefined for an engine without histories.
   */
  readonly history: { readonly mayRead: string; readonly read: string } | undefined;
}
