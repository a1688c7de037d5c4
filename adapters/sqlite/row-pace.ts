import { othersGoFirst } from '../../ports/others-first.ts';

/** The number of rows, read or written, that takes about a millisecond of the event loop. */
export const ROWS_AT_ONCE = 64;

/**
 * Counts the rows of statements, which run on the thread of their callers. Promises alone never return to the event
 * loop, so a loop over pages would keep all other requests waiting until its end.
 */
export class RowPace {
  #rows = 0;

  /** Counts one statement with its rows. After each `ROWS_AT_ONCE` rows it lets other work of the thread run. */
  async after<T>(rows: number, result: T): Promise<T> {
    this.#rows += 1 + rows;
    if (this.#rows >= ROWS_AT_ONCE) await this.rest();
    return result;
  }

  rest(): Promise<void> {
    this.#rows = 0;
    return othersGoFirst();
  }
}
