/**
 * Rows that this process adds to a table before its statistics are worth gathering, and by how much it must grow for
 * the next time.
 */
const FIRST_ROWS = 100;
const FACTOR = 8;

/**
 * Says when a table has outgrown its statistics. A plan that was made for an empty table is kept for as long as nobody
 * gathers them, and reads half the table where an index would lead to one row; the database would get to it within
 * minutes by itself.
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

  /** Tables to analyse now, each told once. */
  take(): readonly string[] {
    if (this.#due.length === 0) return this.#due;
    const due = this.#due;
    this.#due = [];
    return due;
  }
}
