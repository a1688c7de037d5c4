/** Lets one piece of work run at a time, in the order in which they came. */
export class FifoLock {
  #last: Promise<void> = Promise.resolve();

  async hold<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let release = (): void => {};
    this.#last = new Promise((resolve) => {
      release = resolve;
    });
    await before;
    try {
      return await work();
    } finally {
      release();
    }
  }
}
