import type { Knex } from 'knex';
import type { SqlValue } from './fact-query.ts';
import type { Snapshot, WriteTransaction } from './fact-store.ts';

/**
 * What a migration reads of the facts, and its tables' rows, in the transaction that applies it. A plugin's sees its
 * own tables alone, and by `select` what the core keeps about the life of facts.
 */
export interface MigrationData
  extends Pick<
      Snapshot,
      'find' | 'outline' | 'siblings' | 'ledger' | 'ledgerCount' | 'ledgerHead' | 'databaseMs' | 'table' | 'select'
    >,
    Pick<WriteTransaction, 'insertRows'> {}

/** Where engines differ in the statements that make tables. Members that are lists are statements, in order. */
export interface SchemaDialect {
  /** Type of a column whose text is compared by its bytes. */
  readonly textType: string;
  readonly bytesType: string;
  /** First column, with its comma, of a table whose rows lie in the order of insertion; empty where none is needed. */
  readonly insertionOrder: string;
  /** Ends the statement that makes a table whose rows lie in the order of its primary key. */
  readonly keyOrder: string;
  /**
   * Adds the primary key of a table: a column that numbers the rows, each higher than all before it. With `deletesRows`
   * this holds although rows are deleted, which costs more on some engines.
   */
  numberRows(table: Knex.CreateTableBuilder, column: string, options: { readonly deletesRows: boolean }): void;
  /** Lets every change of a row of the table fail from then on. */
  freeze(table: string): readonly string[];
  /**
   * Lets every change of a row of the table fail from then on, but for updates that satisfy a condition on `OLD` and
   * `NEW`. In place of `freeze`.
   */
  freezeUnless(table: string, permitted: string): readonly string[];
  /** Gives a table that `freezeUnless` has frozen another condition, which may hold subqueries. */
  refreeze(table: string, permitted: string): readonly string[];
  /** A subquery over a column that holds a list of texts as JSON, or null: rows of `place` and `element`. */
  listElements(column: string): string;
  /**
   * Lets rows of a frozen table be deleted that satisfy a condition on `OLD`. Every other delete fails as before.
   */
  permitDeletes(table: string, permitted: string): readonly string[];
  /** Lets every insert into the table fail with this message, until `admitInserts` or until the table is dropped. */
  refuseInserts(table: string, message: string): readonly string[];
  admitInserts(table: string): readonly string[];
  /** Runs a statement that updates rows of a frozen table. */
  updateFrozen(table: string, statement: string): readonly string[];
  /**
   * Gives a table that the builder made another primary key. `read` runs a SELECT. Rows that are numbered can still be
   * read in their order: the number gets an index, or stays the key where it is the place of the row.
   */
  setPrimaryKey(
    table: string,
    columns: readonly string[],
    read: (sql: string) => Promise<readonly (readonly SqlValue[])[]>,
  ): Promise<readonly string[]>;
  /** Tells the planner how many rows to expect. Empty where the engine finds out by itself. */
  expectRows(expected: ExpectedRows): readonly string[];
  /** Lets the planner count the rows of a table that has just been filled. Empty where `expectRows` tells it. */
  gatherStatistics(table: string): readonly string[];
}

/** Rows of an index and, behind the first number, rows for each longer prefix of it. */
export type ExpectedRows = readonly (readonly [table: string, index: string, rows: string])[];

/** What a migration sees of the database. */
export interface MigrationSchema {
  readonly schema: Knex.SchemaBuilder;
  readonly dialect: SchemaDialect;
  /**
   * Runs one SQL statement. A plugin's may create an index on a table of its own, which the builder cannot always
   * spell, and nothing else.
   */
  raw(sql: string): Promise<void>;
  readonly data: MigrationData;
  /**
   * Gives a table another primary key: these columns, in this order. Its rows and its other indexes stay. Rows that
   * `numberRows` numbers can be found by their number as before.
   */
  setPrimaryKey(table: string, columns: readonly string[]): Promise<void>;
  /** Names of the tables that exist, the ledger excluded. */
  tables(): Promise<readonly string[]>;
  hasColumn(table: string, column: string): Promise<boolean>;
}

/** Tells operators how far a migration is: `progress(310_000, 1_000_000, 'facts')`. */
export type MigrationProgress = (done: number, total: number, what: string) => void;

/**
 * One step of the schema. Applied once, in ascending order of its number, in a transaction together with its row in
 * `schema_migrations`; never undone. Numbers are unique over the core and all plugins. A plugin's migration touches
 * only tables that carry its prefix.
 */
export interface Migration {
  readonly number: number;
  /** Without the number: `agent_keys` becomes `006_agent_keys` in the ledger. */
  readonly name: string;
  /**
   * Tables that another plugin made and that this one takes over: this migration may look for them and rename them to
   * names with its own prefix, and nothing else.
   */
  readonly takesOver?: readonly string[];
  /**
   * What takes too long for one transaction, before `up`. Called again and again, each time in a transaction of its
   * own, until it returns true. It keeps its place in a table: the next call may come from another process, or after a
   * start that was interrupted. `up` runs last, and once.
   */
  prepare?(schema: MigrationSchema, progress: MigrationProgress): Promise<boolean>;
  up(schema: MigrationSchema): Promise<void>;
}

/** A migration with the part of the node that brings it. */
export interface OwnedMigration extends Migration {
  /** `core`, or the plugin's name. Only core numbers decide whether a schema is newer than the program. */
  readonly owner: string;
}
