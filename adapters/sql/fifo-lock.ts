import { ServiceError } from '../../ports/ports.ts';

/**
 * The time that a write may wait for earlier ones. Groups of writes take milliseconds, so a usual queue is far shorter.
 */
export const TURN_LIMIT_MS = 30_000;
/** The longest delay of a timer. */
export const UNHURRIED_MS = 2 ** 31 - 1;

/** Runs one piece of work at a time, in the order of the calls. */
export class FifoLock {
  #last: Promise<void> = Promise.resolve();
  /** The number of running and queued pieces of work. */
  #taken = 0;

  /**
   * Runs `work` when the earlier work has ended. Rejects with `unavailable` and leaves the queue after `limitMs`: work
   * that waits for its own end would otherwise block the queue permanently.
   */
  async hold<T>(work: () => Promise<T>, limitMs: number): Promise<T> {
    const before = this.#last;
    let release = (): void => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    this.#taken += 1;
    if (this.#taken > 1 && !(await comesWithin(before, limitMs))) {
      this.#taken -= 1;
      void before.then(release);
      throw new ServiceError('unavailable', 'a write waited too long for its turn', {
        hint: 'a plugin that starts a write inside a write waits for itself',
      });
    }
    await before;
    try {
      return await work();
    } finally {
      this.#taken -= 1;
      release();
    }
  }
}

const comesWithin = (turn: Promise<void>, limitMs: number): Promise<boolean> => {
  return new Promise((resolve) => {
    const late = setTimeout(resolve, limitMs, false).unref();
    void turn.then(() => {
      clearTimeout(late);
      resolve(true);
    });
  });
};
