type Listener = () => void;

/** Manages signal listeners by topic. The watch for signals of other processes runs only while there are listeners. */
export class SignalListeners {
  readonly #byTopic = new Map<string, Set<{ readonly call: Listener }>>();
  readonly #watch: () => () => void;
  #endWatch: (() => void) | undefined;

  /** Calls `watch` for the first listener, and its returned function after the last one is removed. */
  constructor(watch: () => () => void) {
    this.#watch = watch;
  }

  /** Adds a listener. Returns a function that removes it; further calls do nothing. */
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

/** Calls a listener and ignores its error, because the change is committed and the other listeners need their calls. */
const callSafely = (listener: Listener): void => {
  try {
    listener();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
  }
};
