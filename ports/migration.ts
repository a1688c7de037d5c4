import type { Knex } from 'knex';
import type { Snapshot, WriteTransaction } from './fact-store.ts';

/**
 * The data that a migration may read in its transaction: facts, and rows of tables. A plugin's migration reads only its
 * own tables, and by `select` the core's tables about the life of facts.
 */
export interface MigrationData
  extends Pick<Snapshot, 'find' | 'databaseMs' | 'table' | 'select'>,
    Pick<WriteTransaction, 'insertRows'> {}

/**
 * The differences between engines in statements that define tables. Members that are lists contain statements in order.
 */
export interface SchemaDialect {
  /** The type of a text column that compares by bytes. */
  readonly textType: string;
  readonly bytesType: string;
  /** The end of a statement that creates a table whose rows are stored in the order of the primary key. */
  readonly keyOrder: string;
  /**
   * Numbers the rows of a table of tenants in a column that is part of its key. Each number is higher than all before
   * it, even after rows were deleted. Comes after the column `tenant_id`.
   */
  numberRows(table: Knex.CreateTableBuilder, column: string): void;
  /**
   * From now on every change of a row of the table fails, except updates that satisfy a condition on `OLD` and `NEW`,
   * and deletes that satisfy one on `OLD`. Both may hold subqueries.
   */
  freeze(table: string, permitted: { readonly updates: string; readonly deletes: string }): readonly string[];
  /** Returns a subquery over a column with a JSON list of texts, or null. Its rows have `place` and `element`. */
  listElements(column: string): string;
  /** Returns statements that tell the planner the expected number of rows. Empty if the engine finds out by itself. */
  expectRows(expected: ExpectedRows): readonly string[];
}

/** The number of rows of an index, and the number of rows for each longer prefix of it. */
export type ExpectedRows = readonly (readonly [table: string, index: string, rows: string])[];

/** The database during a migration. */
export interface MigrationSchema {
  readonly schema: Knex.SchemaBuilder;
  readonly dialect: SchemaDialect;
  /**
   * Runs one SQL statement. A plugin's statement may create an index on a table of its own, which the builder cannot
   * always spell, and nothing else.
   */
  raw(sql: string): Promise<void>;
  readonly data: MigrationData;
  /** Returns the names of the existing tables, without the migration ledger. */
  tables(): Promise<readonly string[]>;
  hasColumn(table: string, column: string): Promise<boolean>;
}

/** Reports the progress of a migration to operators: `progress(310_000, 1_000_000, 'facts')`. */
export type MigrationProgress = (done: number, total: number, what: string) => void;

/**
 * One step of the schema. Applied once, in ascending order of its number, in a transaction together with its row in
 * `schema_migrations`; never undone. Numbers are unique over the core and all plugins. A plugin's migration touches
 * only tables that carry its prefix.
 */
export interface Migration {
  readonly number: number;
  /** The name without the number: `agent_keys` becomes `006_agent_keys` in the ledger. */
  readonly name: string;
  /**
   * Work that takes too long for one transaction, before `up`. Called again and again, each time in a transaction of
   * its own, until it returns true. It saves its progress in a table, because the next call may come from another
   * process, or after an interrupted start. `up` runs last, and once.
   */
  prepare?(schema: MigrationSchema, progress: MigrationProgress): Promise<boolean>;
  up(schema: MigrationSchema): Promise<void>;
}

/** A migration with its owner. */
export interface OwnedMigration extends Migration {
  /** The owner: `core`, or the plugin's name. Only core numbers decide whether a schema is newer than the program. */
  readonly owner: string;
}
