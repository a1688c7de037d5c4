import type { SchemaDialect } from '../../ports/ports.ts';
import type { SqlParameter } from './sql-engine.ts';

/** The kind of a parameter: `whole` is a number that is a safe integer, `number` any other. */
export type ValueKind = 'text' | 'whole' | 'number';

/** Where SQLite and PostgreSQL differ in the statements that both run. Past nine members, stop and rethink. */
export interface SqlDialect {
  /**
   * A `?` for a value of the kind. An engine that takes its type from the column beside it would refuse 0.5 there, or
   * 1e300.
   */
  mark(kind: ValueKind): string;
  /** Condition that `column` equals one of a list bound as one `?`, so that lists of any length share a statement. */
  inList(column: string, of: ValueKind): string;
  /** The list as `inList` wants it bound. */
  listParameter(values: readonly string[] | readonly number[]): SqlParameter;
  /** Condition that the SELECT has a row. */
  exists(select: string): string;
  /** Where a `?` begins in a text, counted from 1; 0 where it is not in it. */
  position(text: string): string;
  /**
   * Ends a SELECT and locks its rows of the table known as `alias` until the transaction ends. Empty on an engine with
   * a single writer.
   */
  forUpdateOf(alias: string): string;
  /** How the rows of a tenant are deleted, some at a time. */
  readonly removal: RowRemoval;
  readonly schema: SchemaDialect;
  readonly queries: DatabaseQueries;
}

export interface RowRemoval {
  /** Returns every table with a column `tenant_id`, and the key of its rows: two columns. */
  readonly tables: string;
  /** Deletes some rows of a tenant. Parameters: the tenant, and how many rows at most. */
  statement(table: string, key: string): string;
}

/** Questions to a database about itself. */
export interface DatabaseQueries {
  /** Names of all tables, one column. */
  readonly tableNames: string;
  /** Names of a table's columns, one column; the table's name is its `?`. */
  readonly columnNames: string;
  /** Its own time at this moment, not when the transaction began, in milliseconds since the epoch. */
  readonly nowMs: string;
  /**
   * Tells histories of this database apart that share a stored epoch, for example after a failover. Undefined for an
   * engine without that. `mayRead` asks for the permission, `read` returns the columns.
   */
  readonly history: { readonly mayRead: string; readonly read: string } | undefined;
}
