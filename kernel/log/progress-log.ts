import type { Clock } from '../../ports/ports.ts';
import { createDue } from './create-due.ts';
import type { LogFields, Logger } from './logger.ts';
import { WorkRate } from './work-rate.ts';

/** How often long work says how far it has come. */
const INTERVAL_MS = 10_000;

export interface ProgressLogParts {
  readonly log: Pick<Logger, 'info'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The text of each line: what is being done. */
  readonly message: string;
  /** Added to each line. */
  readonly fields?: LogFields;
  /** Nothing is said while fewer units than this are left. */
  readonly leastLeft?: number;
}

/**
 * Says in the log every ten seconds how far long work has come: `done` and `total` in units of the work, and
 * `ratePerSecond`. Work that ends sooner says nothing.
 */
export class ProgressLog {
  readonly #parts: ProgressLogParts;
  #run: { readonly rate: WorkRate; readonly isDue: () => boolean } | undefined;

  constructor(parts: ProgressLogParts) {
    this.#parts = parts;
  }

  /**
   * So many units are done. The first call after the construction or after `ended` begins the measurement. `left` is
   * asked only when a line is due, so it may count rows. Rejects as `left` does.
   */
  async reached(done: number, left: () => Promise<number>): Promise<void> {
    const { log, clock, message, fields, leastLeft = 0 } = this.#parts;
    this.#run ??= { rate: new WorkRate(clock, done), isDue: createDue(clock, INTERVAL_MS) };
    if (!this.#run.isDue()) return;
    const ratePerSecond = this.#run.rate.at(done);
    const more = await left();
    if (more >= leastLeft) log.info(message, { ...fields, done, total: done + more, ratePerSecond });
  }

  /** The work is done, or rests for long. */
  ended(): void {
    this.#run = undefined;
  }
}
