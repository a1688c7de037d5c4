import type { SqlValue } from '../../ports/ports.ts';
import type { SqlParameter } from '../sql/sql-engine.ts';
import { shapeOf } from './column-shape.ts';
import type { InsertPlan, ShapedPlan } from './insert-statements.ts';
import { type Encoded, encodeArray, encodeParameter } from './postgres-values.ts';

type Rows = readonly (readonly SqlParameter[])[];

/** An insert as its statement wants it. */
export interface ShapedInsert extends ShapedPlan {
  readonly values: readonly Encoded[];
}

/** Sends so many rows at once: the server inserts them while the caller makes the rest. */
const MOST_ROWS = 256;

/** A statement that waits with the inserts. */
interface Beside {
  readonly sql: string;
  readonly values: readonly Encoded[];
}

/**
 * Holds inserts back until a statement has to see them. So the rows that one transaction adds to several tables leave
 * as one statement: each statement costs as much as a dozen rows. Rows of one table keep their order.
 */
export class PendingInserts {
  readonly #waiting = new Map<InsertPlan, Rows[]>();
  #count = 0;
  #beside: Beside[] = [];

  /** Whether rows for the plan can wait beside those that wait already. */
  takes(plan: InsertPlan): boolean {
    if (this.#waiting.has(plan)) return true;
    // The parts of one statement run in no order.
    for (const { table } of this.#waiting.keys()) if (table === plan.table) return false;
    return true;
  }

  /** Returns whether enough rows wait to be sent. */
  add(plan: InsertPlan, rows: Rows): boolean {
    const waiting = this.#waiting.get(plan);
    if (waiting === undefined) this.#waiting.set(plan, [rows]);
    else waiting.push(rows);
    this.#count += rows.length;
    return this.#count >= MOST_ROWS;
  }

  /** Lets a statement wait beside the inserts. Returns false when the same one does so already. */
  addBeside(sql: string, values: readonly Encoded[]): boolean {
    // The parts of one statement do not see what the others change.
    if (this.#beside.some((other) => other.sql === sql)) return false;
    this.#beside.push({ sql, values });
    return true;
  }

  get empty(): boolean {
    return this.#count === 0 && this.#beside.length === 0;
  }

  /** Takes everything that waits. */
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

/** Shapes per target with a statement each; the rest share the one in which every column differs. */
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
