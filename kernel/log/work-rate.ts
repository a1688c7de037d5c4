import type { Clock } from '../../ports/ports.ts';

/** Measures the speed of work. */
export class WorkRate {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  #first: { readonly done: number; readonly atMs: number };

  /** `done` is the number of units done before, which do not count. */
  constructor(clock: Pick<Clock, 'monotonicMs'>, done: number) {
    this.#clock = clock;
    this.#first = { done, atMs: clock.monotonicMs() };
  }

  /** Returns units per second since the work began. 0 before the first unit. */
  at(done: number): number {
    const atMs = this.#clock.monotonicMs();
    // Restarts the measurement when the work starts again from an earlier position.
    if (done < this.#first.done) this.#first = { done, atMs };
    const seconds = (atMs - this.#first.atMs) / 1000;
    const rate = seconds > 0 ? (done - this.#first.done) / seconds : 0;
    return Math.round(rate * 10) / 10;
  }
}
