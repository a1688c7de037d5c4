type Listener = () => void;

/**
 * Who wants to hear of which topic. Whatever brings the signals of other processes runs only while there is somebody to
 * hear them.
 */
export class SignalListeners {
  readonly #byTopic = new Map<string, Set<{ readonly call: Listener }>>();
  readonly #watch: () => () => void;
  #endWatch: (() => void) | undefined;

  /** `watch` is called with the first listener; what it returns, when the last one has gone. */
  constructor(watch: () => () => void) {
    this.#watch = watch;
  }

  /** Returns a function that ends it, any number of times. */
  add(topic: string, listener: Listener): () => void {
    const entry = { call: listener };
    const listeners = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, listeners.add(entry));
    this.#endWatch ??= this.#watch();
    return () => {
      if (listeners.delete(entry) && listeners.size === 0 && this.#byTopic.get(topic) === listeners) this.#drop(topic);
    };
  }

  call(topics: Iterable<string>): void {
    for (const topic of topics) {
      for (const entry of [...(this.#byTopic.get(topic) ?? [])]) callSafely(entry.call);
    }
  }

  callAll(): void {
    this.call([...this.#byTopic.keys()]);
  }

  clear(): void {
    this.#byTopic.clear();
    this.#end();
  }

  #drop(topic: string): void {
    this.#byTopic.delete(topic);
    if (this.#byTopic.size === 0) this.#end();
  }

  #end(): void {
    this.#endWatch?.();
    this.#endWatch = undefined;
  }
}

/** What was signalled is committed, whatever a listener makes of it; and the next listener is owed its call. */
const callSafely = (listener: Listener): void => {
  try {
    listener();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
};
