/**
 * The number of inserted rows after which statistics of a table are gathered for the first time. Later the table must
 * grow by a factor.
 */
const FIRST_ROWS = 100;
const FACTOR = 8;

/**
 * Detects that a table has outgrown its statistics. Until they are gathered, the server keeps a plan for an empty
 * table, and reads half the table instead of using an index. The server itself gathers them only after minutes.
 */
export class TableGrowth {
  readonly #tables = new Map<string, { rows: number; next: number }>();
  #due: string[] = [];

  add(table: string, rows: number): void {
    const known = this.#tables.get(table) ?? { rows: 0, next: FIRST_ROWS };
    this.#tables.set(table, known);
    known.rows += rows;
    if (known.rows < known.next) return;
    while (known.rows >= known.next) known.next *= FACTOR;
    this.#due.push(table);
  }

  /** Returns the tables to analyse now, each only once. */
  take(): readonly string[] {
    if (this.#due.length === 0) return this.#due;
    const due = this.#due;
    this.#due = [];
    return due;
  }
}
