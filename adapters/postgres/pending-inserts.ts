import type { SqlValue } from '../../ports/ports.ts';
import type { SqlParameter } from '../sql/sql-engine.ts';
import { shapeOf } from './column-shape.ts';
import type { InsertPlan, ShapedPlan } from './insert-statements.ts';
import { type Encoded, encodeArray, encodeParameter } from './postgres-values.ts';

type Rows = readonly (readonly SqlParameter[])[];

/** Rows to insert, with the shape for their statement. */
export interface ShapedInsert extends ShapedPlan {
  readonly values: readonly Encoded[];
}

/**
 * The number of rows after which a batch is sent, so that the server inserts them while the caller makes the next ones.
 */
const MOST_ROWS = 256;

/** A queued statement that is sent together with the inserts. */
interface Beside {
  readonly sql: string;
  readonly values: readonly Encoded[];
}

/**
 * Queues inserts until a later statement must see them. Then the rows of several tables leave as one statement, because
 * each statement costs as much as a dozen rows. Rows of one table stay in order.
 */
export class PendingInserts {
  readonly #waiting = new Map<InsertPlan, Rows[]>();
  #count = 0;
  #beside: Beside[] = [];

  /** Returns whether rows for the plan can join the queued ones. */
  takes(plan: InsertPlan): boolean {
    if (this.#waiting.has(plan)) return true;
    // The parts of one statement run in no order, so a table may occur in one part only.
    for (const { table } of this.#waiting.keys()) if (table === plan.table) return false;
    return true;
  }

  /** Adds rows. Returns true when there are enough to send. */
  add(plan: InsertPlan, rows: Rows): boolean {
    const waiting = this.#waiting.get(plan);
    if (waiting === undefined) this.#waiting.set(plan, [rows]);
    else waiting.push(rows);
    this.#count += rows.length;
    return this.#count >= MOST_ROWS;
  }

  /**
   * Queues a statement that is sent together with the inserts. Returns false when the same statement is queued already.
   */
  addBeside(sql: string, values: readonly Encoded[]): boolean {
    // Refuses a repeated statement, because the parts of one statement do not see each other's changes.
    if (this.#beside.some((other) => other.sql === sql)) return false;
    this.#beside.push({ sql, values });
    return true;
  }

  get empty(): boolean {
    return this.#count === 0 && this.#beside.length === 0;
  }

  /** Returns everything that is queued, and empties the queue. */
  take(): { readonly inserts: readonly ShapedInsert[]; readonly beside: readonly Beside[] } {
    const beside = this.#beside;
    const inserts = [...this.#waiting].map(([plan, rows]) =>
      shapedInsert(plan, rows.length === 1 ? (rows[0] as Rows) : rows.flat()),
    );
    this.#waiting.clear();
    this.#count = 0;
    this.#beside = [];
    return { inserts, beside };
  }
}

/**
 * The maximum number of shapes per target with a statement of their own. Other rows use the shape in which every column
 * differs.
 */
const MOST_SHAPES = 24;

const shapedInsert = (plan: InsertPlan, rows: Rows): ShapedInsert => {
  const columns = plan.types.length;
  const found = shapeOf(columns, rows);
  if (plan.shapes.size < MOST_SHAPES) plan.shapes.add(found);
  const shape = plan.shapes.has(found) ? found : 'v'.repeat(columns);
  const same: Encoded[] = [];
  const differing: string[] = [];
  for (let at = 0; at < columns; at += 1) {
    if (shape[at] === 's') same.push(encodeParameter(rows[0]?.[at] as SqlValue));
    else if (shape[at] === 'v') differing.push(encodeArray(rows.map((row) => row[at] as SqlValue)));
  }
  return { plan, shape, values: [...same, ...differing] };
};
