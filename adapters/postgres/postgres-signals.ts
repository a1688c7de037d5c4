import { SignalListeners } from '../sql/signal-listeners.ts';
import { PostgresListener, type PostgresListenerOptions } from './postgres-listener.ts';

export type PostgresSignalsOptions = Omit<PostgresListenerOptions, 'heard' | 'missed'>;

/** The signal listeners of a store. While there are any, one connection is open beside the pools. */
export class PostgresSignals {
  readonly #listeners: SignalListeners;
  readonly #partings = new Set<Promise<void>>();
  #isClosed = false;

  constructor(options: PostgresSignalsOptions) {
    this.#listeners = new SignalListeners(() => {
      const listener = new PostgresListener({
        ...options,
        heard: (topic) => this.#listeners.call([topic]),
        missed: () => this.#listeners.callAll(),
      });
      return () => this.#part(listener);
    });
  }

  onSignal(topic: string, listener: () => void): () => void {
    return this.#isClosed ? () => {} : this.#listeners.add(topic, listener);
  }

  /** Delivers the signals of a commit of this process directly, without waiting for the server's notification. */
  committed(topics: Iterable<string> | undefined): void {
    if (topics !== undefined) this.#listeners.call(topics);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    await Promise.all(this.#partings);
  }

  #part(listener: PostgresListener): void {
    const parting = listener.end();
    this.#partings.add(parting);
    void parting.then(() => this.#partings.delete(parting));
  }
}
