import type { InsertTarget } from '../sql/sql-engine.ts';
import { identifier } from '../sql/sql-identifier.ts';
import type { ColumnShape } from './column-shape.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresStatement, PostgresStatements } from './postgres-statements.ts';
import type { TableColumns } from './table-columns.ts';

/**
 * The maximum number of cached targets. Targets come from code: a plugin has a few, each with the same columns in every
 * row.
 */
const MOST_REMEMBERED = 1_000;

/** A target whose table exists, with the data for its statements. There is one object for each target. */
export interface InsertPlan {
  readonly table: string;
  /** The SQL `INSERT INTO table (columns)`. */
  readonly head: string;
  readonly types: readonly string[];
  /** The SQL ` ON CONFLICT …`, or an empty text. */
  readonly tail: string;
  /** The shapes of rows that have a statement of their own. */
  readonly shapes: Set<ColumnShape>;
}

/** A target with the shape of the rows to insert. */
export interface ShapedPlan {
  readonly plan: InsertPlan;
  readonly shape: ColumnShape;
}

/**
 * Builds one statement per target, or set of targets, for any number of rows. Its parameters are, by target, the values
 * of columns that are the same in all rows, then an array for each other column.
 */
export class InsertStatements {
  readonly #columns: TableColumns;
  readonly #statements: PostgresStatements;
  readonly #plans = new Map<string, InsertPlan>();
  /** Keyed by object, because building a text key takes longer. */
  #plansOfTargets = new WeakMap<InsertTarget, InsertPlan>();
  readonly #written = new Map<string, PostgresStatement>();

  constructor(columns: TableColumns, statements: PostgresStatements) {
    this.#columns = columns;
    this.#statements = statements;
  }

  knownPlan(into: InsertTarget): InsertPlan | undefined {
    const kept = this.#plansOfTargets.get(into);
    if (kept !== undefined) return kept;
    const known = this.#plans.get(keyOf(into));
    if (known !== undefined) this.#plansOfTargets.set(into, known);
    return known;
  }

  /**
   * Returns the plan of a target. Throws for invalid names before it queries the database, and for a table or column
   * that does not exist.
   */
  async planFor(into: InsertTarget, connection: PostgresConnection): Promise<InsertPlan> {
    const { table, columns, unlessTaken } = into;
    const names = columns.map(identifier).join(', ');
    const tail = unlessTaken === undefined ? '' : ` ON CONFLICT (${unlessTaken.map(identifier).join(', ')}) DO NOTHING`;
    const head = `INSERT INTO ${identifier(table)} (${names})`;
    const types = await this.#columns.typesOf(table, columns, connection);
    const plan = { table, head, types, tail, shapes: new Set<ColumnShape>() };
    if (this.#plans.size >= MOST_REMEMBERED) this.forget();
    this.#plans.set(keyOf(into), plan);
    return plan;
  }

  /**
   * Returns one statement that inserts into all of these tables and also executes the statements `beside`, whose
   * parameters come last.
   */
  statementFor(inserts: readonly ShapedPlan[], beside: readonly string[] = []): PostgresStatement {
    const key = `${inserts.map(({ plan, shape }) => `${plan.head} ${shape}${plan.tail}`).join()}${beside.join()}`;
    const known = this.#written.get(key);
    if (known !== undefined) return known;
    const parts = [...inserts.map(insertOf), ...beside];
    const last = parts.pop() ?? '';
    const earlier = parts.map((part, at) => `i${at} AS (${part})`).join(', ');
    const statement = this.#statements.prepared(earlier === '' ? last : `WITH ${earlier} ${last}`);
    if (this.#written.size >= MOST_REMEMBERED) this.#written.clear();
    this.#written.set(key, statement);
    return statement;
  }

  /** Discards all plans after a change of the tables or of the names of statements. */
  forget(): void {
    this.#plans.clear();
    this.#plansOfTargets = new WeakMap();
    this.#written.clear();
    this.#columns.forget();
  }
}

const keyOf = ({ table, columns, unlessTaken }: InsertTarget): string =>
  `${table} ${columns.join()} ${unlessTaken?.join() ?? ''}`;

const insertOf = ({ plan: { head, types, tail }, shape }: ShapedPlan): string => {
  const values = types.map((type, at) => {
    if (shape[at] === 'v') return `u.c${at}`;
    return shape[at] === 'n' ? 'NULL' : `?::${type}`;
  });
  const differing = types.flatMap((type, at) => (shape[at] === 'v' ? [{ type, at }] : []));
  const arrays = differing.map(({ type }) => `?::${type}[]`).join(', ');
  const names = differing.map(({ at }) => `c${at}`).join(', ');
  const from = differing.length === 0 ? '' : ` FROM unnest(${arrays}) AS u (${names})`;
  return `${head} SELECT ${values.join(', ')}${from}${tail}`;
};
