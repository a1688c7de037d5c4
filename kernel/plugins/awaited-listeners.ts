/** The running listeners for signals that writes of a plugin wait for. */
export class AwaitedListeners {
  readonly #running = new Set<Promise<void>>();

  /** Adds a run that never rejects. */
  add(run: Promise<void>): void {
    this.#running.add(run);
    void run.then(() => this.#running.delete(run));
  }

  /** Resolves when the runs of this moment have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }
}
