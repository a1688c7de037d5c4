type Listener = () => void;

/** Listeners by topic. The watch for signals of other processes runs only while there is a listener. */
export class SignalListeners {
  readonly #byTopic = new Map<string, Set<{ readonly call: Listener }>>();
  readonly #watch: () => () => void;
  #endWatch: (() => void) | undefined;

  /** Calls `watch` with the first listener, and the function that it returned after the last one has gone. */
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

/**
 * The signalled change is committed, and the next listener needs its call, so a listener must not throw through here.
 */
const callSafely = (listener: Listener): void => {
  try {
    listener();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
};
