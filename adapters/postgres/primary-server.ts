import { Client } from 'pg';
import { checkedUrls } from './postgres-address.ts';

/** The time limit of each step of a question to a server: to connect, and to reply. */
const ASK_MS = 2_000;

/**
 * The primary among the servers that an address names. With a single server it is always that one. Otherwise `search`
 * finds the new primary after a failover. It refuses a server on an earlier timeline than any seen before: a former
 * primary that does not know of its successor yet.
 */
export class PrimaryServer {
  readonly #urls: readonly string[];
  readonly #moved = new Set<() => void>();
  #current: string;
  #timeline = 0;
  #search: Promise<void> | undefined;

  /** Throws `unavailable` for an invalid address. */
  constructor(url: string) {
    const urls = checkedUrls(url);
    this.#urls = urls;
    this.#current = urls[0];
  }

  /** The address of the server that new connections go to. */
  get url(): string {
    return this.#current;
  }

  /** Whether the address names more servers than one. */
  get hasOthers(): boolean {
    return this.#urls.length > 1;
  }

  /** Calls `listener` when another server becomes the primary, so that it can cut the connections to the former one. */
  onMove(listener: () => void): void {
    this.#moved.add(listener);
  }

  offMove(listener: () => void): void {
    this.#moved.delete(listener);
  }

  /** Asks all servers at once which of them takes writes. Never rejects. Calls during a search share it. */
  search(): Promise<void> {
    if (!this.hasOthers) return Promise.resolve();
    this.#search ??= this.#ask().finally(() => {
      this.#search = undefined;
    });
    return this.#search;
  }

  async #ask(): Promise<void> {
    const timelines = await Promise.all(this.#urls.map(timelineOf));
    const newest = timelines.reduce((a, b) => Math.max(a, b), READS_ONLY);
    // A former primary may still reply as a primary. So the newest timeline decides, and never an earlier one than
    // before.
    if (newest === READS_ONLY || newest < this.#timeline) return;
    this.#timeline = newest;
    const found = this.#urls[timelines.indexOf(newest)] ?? this.#current;
    if (found === this.#current) return;
    this.#current = found;
    for (const listener of this.#moved) listener();
  }
}

/** Returns the address of the primary for a connection outside the pools. */
export const primaryUrl = async (url: string): Promise<string> => {
  const primary = new PrimaryServer(url);
  await primary.search();
  return primary.url;
};

/** Stands for the timeline of a server that takes no writes, or gives no reply. */
const READS_ONLY = -1;

/**
 * Returns the timeline of a server that takes writes, which grows with every promotion; 0 where the user may not read
 * it.
 */
const timelineOf = async (url: string): Promise<number> => {
  const client = new Client({
    connectionString: url,
    connectionTimeoutMillis: ASK_MS,
    query_timeout: ASK_MS,
    fallback_application_name: 'fact-memory-node search',
  });
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ readonly reads: boolean }>(READS);
    if (rows[0]?.reads !== false) return READS_ONLY;
    const timeline = await client.query<{ readonly timeline: string }>(TIMELINE).catch(() => undefined);
    return Number.parseInt(timeline?.rows[0]?.timeline ?? '0', 16);
  } catch {
    return READS_ONLY;
  } finally {
    // Destroys the stream, because a paused server never completes the end of a connection.
    client.connection.stream.destroy();
  }
};

const READS = `SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::bool AS reads`;
const TIMELINE = 'SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS timeline';
