import { Client } from 'pg';
import type { PrimaryServer } from './primary-server.ts';

/** The channel of all signals. The payload of a notification holds the topic. */
export const SIGNAL_CHANNEL = 'fact_memory_signals';

export interface PostgresListenerOptions {
  readonly primary: PrimaryServer;
  readonly connectTimeoutMs: number;
  /** Notifies the channel, without a topic, over another connection. May reject. */
  probe(): Promise<unknown>;
  heard(topic: string): void;
  /** Called when this connection may have missed a signal. */
  missed(): void;
}

/** The interval at which all listeners are called while the connection is lost, because signals may be missed. */
const POLL_MS = 1_000;
/** The interval of connection probes, and the time limit of their reply. */
const ASK_MS = 15_000;
const ANSWER_MS = 5_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 10_000;
/** The time that the server has to close the connection. */
const PARTING_MS = 500;

/**
 * A dedicated connection that receives notifications and reconnects after an outage. A successful LISTEN proves
 * nothing, because a transaction pooler drops later notifications. So the connection counts as working only after its
 * first notification.
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

  /** Closes the connection. Resolves soon, even when the server does not respond. */
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
      // Retries later even when the attempt cannot be made, for example because a key file is missing.
      if (await this.#listen().catch(() => false)) pause = FIRST_PAUSE_MS;
      // Adds jitter, so that processes that lost their server together do not reconnect at the same moment.
      if (!this.#hasEnded) await this.#rest(pause * (0.5 + Math.random()));
    }
  }

  /** Resolves when the connection has ended. Returns whether it received any notification. */
  async #listen(): Promise<boolean> {
    const { primary, connectTimeoutMs } = this.#options;
    const client = new Client({
      connectionString: primary.url,
      connectionTimeoutMillis: connectTimeoutMs,
      keepAlive: true,
      fallback_application_name: 'fact-memory-node',
    });
    this.#client = client;
    const gone = new Promise<void>((resolve) => client.once('end', () => resolve()));
    const cut = (): void => void client.connection.stream.destroy();
    client.on('error', cut);
    primary.onMove(cut);
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    try {
      await client.connect();
      await client.query(`LISTEN ${SIGNAL_CHANNEL}`);
      this.#isListening = true;
      this.#isOwedAnswer = false;
      this.#ask(client);
      await gone;
    } catch {
      // The loop tries again. Until then, every topic counts as signalled.
    }
    primary.offMove(cut);
    cut();
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
