import { Client } from 'pg';

/** The channel of all signals; which topic one is about is in its payload. */
export const SIGNAL_CHANNEL = 'fact_memory_signals';

export interface PostgresListenerOptions {
  readonly url: string;
  readonly connectTimeoutMs: number;
  /** Notifies the channel, without a topic, by another connection than this. May reject. */
  probe(): Promise<unknown>;
  heard(topic: string): void;
  /** Called when a signal may have been missed. */
  missed(): void;
}

/** While the connection is lost, any topic may have been signalled: this often. */
const POLL_MS = 1_000;
/** The interval of probes of the connection, and the time limit of their reply. */
const ASK_MS = 15_000;
const ANSWER_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** The time that the server gets to notice the end. */
const PARTING_MS = 500;

/**
 * A connection of its own that hears notifications, and comes back after an outage. A LISTEN that succeeds proves
 * nothing: a pooler that lends sessions by the transaction drops later notifications. So the connection counts as
 * hearing only once it has heard one.
 */
export class PostgresListener {
  readonly #options: PostgresListenerOptions;
  readonly #tick: NodeJS.Timeout;
  #client: Client | undefined;
  #isListening = false;
  #isHearing = false;
  #askedMs = 0;
  #isOwedAnswer = false;
  #hasEnded = false;
  #wake = (): void => {};

  constructor(options: PostgresListenerOptions) {
    this.#options = options;
    this.#tick = setInterval(() => this.#look(), POLL_MS).unref();
    void this.#run();
  }

  /** Resolves soon, even when the server does not respond. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    clearInterval(this.#tick);
    this.#wake();
    const client = this.#client;
    if (client === undefined) return;
    if (this.#isListening) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, PARTING_MS);
      });
      await Promise.race([client.end(), late]);
      clearTimeout(timer);
    }
    client.connection.stream.destroy();
  }

  async #run(): Promise<void> {
    for (let pause = FIRST_PAUSE_MS; !this.#hasEnded; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      // Not even an attempt is possible while a file is missing that the address names.
      if (await this.#listen().catch(() => false)) pause = FIRST_PAUSE_MS;
      // Processes that lost their server together must not come back in step.
      if (!this.#hasEnded) await this.#rest(pause * (0.5 + Math.random()));
    }
  }

  /** Ends with the connection. Returns whether anything was heard on it. */
  async #listen(): Promise<boolean> {
    const { url, connectTimeoutMs } = this.#options;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      fallback_application_name: 'fact-memory-node',
    });
    this.#client = client;
    const gone = new Promise<void>((resolve) => client.once('end', () => resolve()));
    client.on('error', () => client.connection.stream.destroy());
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${SIGNAL_CHANNEL}`);
      this.#isListening = true;
      this.#isOwedAnswer = false;
      this.#ask(client);
      await gone;
    } catch {
      // The next attempt may do better; meanwhile everything counts as signalled.
    }
    client.connection.stream.destroy();
    const hasHeard = this.#isHearing;
    this.#isListening = false;
    this.#isHearing = false;
    this.#client = undefined;
    return hasHeard;
  }

  #hear(topic: string): void {
    if (!this.#isHearing) {
      this.#isHearing = true;
      this.#options.missed();
    }
    this.#options.heard(topic);
  }

  #look(): void {
    if (!this.#isHearing) this.#options.missed();
    const client = this.#client;
    if (client === undefined || !this.#isListening) return;
    const silentMs = performance.now() - this.#askedMs;
    if (this.#isOwedAnswer && silentMs > ANSWER_MS) client.connection.stream.destroy();
    else if (!this.#isOwedAnswer && silentMs > ASK_MS) this.#ask(client);
  }

  #ask(client: Client): void {
    this.#askedMs = performance.now();
    this.#isOwedAnswer = true;
    client.query('SELECT 1').then(
      () => {
        this.#isOwedAnswer = false;
      },
      () => client.connection.stream.destroy(),
    );
    if (!this.#isHearing) this.#options.probe().catch(() => {});
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
