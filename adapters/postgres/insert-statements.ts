import type { InsertTarget } from '../sql/sql-engine.ts';
import { identifier } from '../sql/sql-identifier.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresStatement, PostgresStatements } from './postgres-statements.ts';
import type { TableColumns } from './table-columns.ts';

/** Targets come from code: a plugin has a few, each with the same members in every row. */
const MOST_REMEMBERED = 1_000;

/** One statement per target for any number of rows: its parameters are an array per column. */
export class InsertStatements {
  readonly #columns: TableColumns;
  readonly #statements: PostgresStatements;
  readonly #written = new Map<string, PostgresStatement>();

  constructor(columns: TableColumns, statements: PostgresStatements) {
    this.#columns = columns;
    this.#statements = statements;
  }

  /** Throws for names that are not names, before anything is asked under them, and for a table or column that does not exist. */
  async statementFor(into: InsertTarget, connection: PostgresConnection): Promise<PostgresStatement> {
    const { table, columns, unlessTaken } = into;
    const key = `${table} ${columns.join()} ${unlessTaken ?? ''}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const names = columns.map(identifier).join(', ');
    const unique = unlessTaken === undefined ? '' : identifier(unlessTaken);
    const conflict = unlessTaken === undefined ? '' : ` ON CONFLICT (${unique}) DO NOTHING RETURNING ${unique}`;
    const target = `INSERT INTO ${identifier(table)} (${names})`;
    const types = await this.#columns.typesOf(table, columns, connection);
    const arrays = types.map((type) => `?::${type}[]`).join(', ');
    const statement = this.#statements.prepared(`${target} SELECT * FROM unnest(${arrays})${conflict}`);
    if (this.#written.size >= MOST_REMEMBERED) this.#written.clear();
    this.#written.set(key, statement);
    return statement;
  }

  /** The tables have changed, or the names of statements. */
  forget(): void {
    this.#written.clear();
    this.#columns.forget();
  }
}
