import { ServiceError } from '../../ports/ports.ts';

/** How long a write waits for earlier ones. Far beyond a usual queue: groups of writes take milliseconds. */
export const TURN_LIMIT_MS = 30_000;
/** The longest that a timer can wait. */
export const UNHURRIED_MS = 2 ** 31 - 1;

/** Lets one piece of work run at a time, in the order in which they came. */
export class FifoLock {
  #last: Promise<void> = Promise.resolve();
  /** Work that runs or waits. */
  #taken = 0;

  /**
   * Runs `work` when its turn comes. Rejects with `unavailable`, and gives the turn up, when that takes longer than
   * `limitMs`: work that waits for a turn behind itself would block all later work for ever.
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
        headers: { 'Retry-After': '1' },
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
