import type { Clock } from '../../ports/ports.ts';
import { createThrottle } from './create-throttle.ts';
import type { LogFields, Logger } from './logger.ts';
import { WorkRate } from './work-rate.ts';

/** The interval at which long work logs its progress. */
const INTERVAL_MS = 10_000;

export interface ProgressLogParts {
  readonly log: Pick<Logger, 'info'>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
  /** The message of each line: the name of the work. */
  readonly message: string;
  /** Further fields of each line. */
  readonly fields?: LogFields;
  /** The number of remaining units below which nothing is logged. */
  readonly leastLeft?: number;
}

/**
 * Logs the progress of long work every ten seconds: `done` and `total` in units of the work, and `ratePerSecond`.
 * Shorter work logs nothing.
 */
export class ProgressLog {
  readonly #parts: ProgressLogParts;
  #run: { readonly rate: WorkRate; readonly isDue: () => boolean } | undefined;

  constructor(parts: ProgressLogParts) {
    this.#parts = parts;
  }

  /**
   * Reports this many further units as done. The first call after the construction or after `ended` begins the
   * measurement. `left` is called only when a line is due, so it may count rows. Rejects as `left` does.
   */
  async reached(done: number, left: () => Promise<number>): Promise<void> {
    const { log, clock, message, fields, leastLeft = 0 } = this.#parts;
    this.#run ??= { rate: new WorkRate(clock, done), isDue: createThrottle(clock, INTERVAL_MS) };
    if (!this.#run.isDue()) return;
    const ratePerSecond = this.#run.rate.at(done);
    const more = await left();
    if (more >= leastLeft) log.info(message, { ...fields, done, total: done + more, ratePerSecond });
  }

  /** Ends the measurement, when the work is done or pauses for long. */
  ended(): void {
    this.#run = undefined;
  }
}
