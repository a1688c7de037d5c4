/**
 * After so many rows of this process the statistics of a table are worth gathering; the next time it must have grown by
 * a factor.
 */
const FIRST_ROWS = 100;
const FACTOR = 8;

/**
 * Says when a table has outgrown its statistics. The server keeps a plan for an empty table until they are gathered,
 * and reads half the table where an index would lead to one row. By itself the server gathers them within minutes.
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
