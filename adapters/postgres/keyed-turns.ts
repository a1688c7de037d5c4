import { FifoLock } from '../sql/fifo-lock.ts';

interface Queue {
  readonly lock: FifoLock;
  /** The number of running and queued pieces of work. */
  length: number;
}

/** Runs one piece of work per key at a time, in the order of the calls. */
export class KeyedTurns {
  readonly #queues = new Map<string, Queue>();

  /** Rejects with `unavailable` when the turn does not come within `limitMs`. */
  async hold<T>(key: string, work: () => Promise<T>, limitMs: number): Promise<T> {
    const queue = this.#queues.get(key) ?? { lock: new FifoLock(), length: 0 };
    this.#queues.set(key, queue);
    queue.length += 1;
    try {
      return await queue.lock.hold(work, limitMs);
    } finally {
      queue.length -= 1;
      if (queue.length === 0) this.#queues.delete(key);
    }
  }

  /** Returns whether work of the key is running or queued. */
  isHeld(key: string): boolean {
    return this.#queues.has(key);
  }

  /** Returns whether work of the key is queued. */
  isAwaited(key: string): boolean {
    return (this.#queues.get(key)?.length ?? 0) > 1;
  }

  /** Waits for all work that was queued before the call. */
  async settled(limitMs: number): Promise<void> {
    await Promise.all([...this.#queues.values()].map(({ lock }) => lock.hold(async () => {}, limitMs)));
  }
}
