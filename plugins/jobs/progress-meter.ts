import { WorkRate } from '../../kernel/internal-api.ts';
import type { Clock } from '../../kernel/plugin-api.ts';
import type { JobProgress, ReportedProgress } from './jobs-api.ts';

/** Measures the progress and the speed of one run of a job. */
export class ProgressMeter {
  readonly #rate: WorkRate;
  #latest: ReportedProgress | null;
  #stored: ReportedProgress | null;
  #logged: ReportedProgress | null;

  /** `before` is the progress that an earlier run of the job has stored. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, before: ReportedProgress | null) {
    this.#rate = new WorkRate(clock, before?.done ?? 0);
    this.#latest = before;
    this.#stored = before;
    this.#logged = before;
  }

  get latest(): ReportedProgress | null {
    return this.#latest;
  }

  report({ done, total }: JobProgress): void {
    if (!isCount(done) || !(total === null || isCount(total))) {
      throw new RangeError('the progress of a job is counted in whole numbers of 0 or more');
    }
    this.#latest = { done, total, ratePerSecond: this.#rate.at(done) };
  }

  /** Returns the latest progress if it is not stored yet. */
  unstored(): ReportedProgress | undefined {
    return this.#latest === this.#stored ? undefined : (this.#latest ?? undefined);
  }

  stored(progress: ReportedProgress): void {
    this.#stored = progress;
  }

  /** Returns the latest progress if it is not logged yet. */
  unlogged(): ReportedProgress | undefined {
    if (this.#latest === this.#logged) return undefined;
    this.#logged = this.#latest;
    return this.#latest ?? undefined;
  }
}

const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
