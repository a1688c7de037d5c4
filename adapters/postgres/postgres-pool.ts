import { Client, type ClientBase, type ClientConfig, Pool, type PoolClient } from 'pg';
import { ServiceError } from '../../ports/ports.ts';
import { ALLOWED_CONNECTIONS } from './connection-share.ts';
import { PostgresConnection } from './postgres-connection.ts';
import { ConnectionLost, isLoss, toServiceError } from './postgres-errors.ts';
import type { PrimaryServer } from './primary-server.ts';
import { type SessionLimits, settingsStatement } from './session-settings.ts';

export interface PostgresPoolOptions extends SessionLimits {
  readonly primary: PrimaryServer;
  readonly size: number;
  /** Returns the size for the number of connections that the server allows. Throws when they are too few. */
  readonly sizeWithin?: ((allowed: number) => number) | undefined;
  /** True behind a pooler that gives each transaction another session of the server. */
  readonly sharesSessions: boolean;
  /** True for a server that follows the primary. */
  readonly isReplica?: boolean;
  /** Milliseconds to wait for a free or new connection. */
  readonly connectTimeoutMs: number;
  /** The driver's class of connections, by default `Client`. */
  readonly driver?: typeof Client | undefined;
}

/** The time after which an unused connection is closed. */
const IDLE_MS = 60_000;

/** The time beyond the limit of a statement after which a silent server counts as lost. */
const SILENCE_MS = 2_000;
const WATCH_MS = 500;
/** How many milliseconds a server is silent before the store asks whether another one has become the primary. */
const SEARCH_AFTER_MS = 2_000;

const OLDEST_VERSION = 14;

/** Lends connections with the session settings that the store relies on. */
export class PostgresPool {
  readonly #pool: Pool;
  readonly #primary: PrimaryServer;
  readonly #clients = new Set<Client>();
  readonly #lent = new Set<PostgresConnection>();
  readonly #longestSilenceMs: number;
  readonly #transactionSettings: string | undefined;
  #isSized = false;
  #sizing: Promise<void> | undefined;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: PostgresPoolOptions) {
    this.#primary = options.primary;
    this.#longestSilenceMs = options.statementTimeoutMs + SILENCE_MS;
    this.#transactionSettings = options.sharesSessions ? settingsStatement(options, 'transaction') : undefined;
    this.#pool = new Pool({
      connectionString: options.primary.url,
      max: options.size,
      connectionTimeoutMillis: options.connectTimeoutMs,
      idleTimeoutMillis: IDLE_MS,
      keepAlive: true,
      pipeline: true,
      // A session of the pooler outlives the process, so it must not count as a process that uses the store.
      fallback_application_name: options.sharesSessions ? 'fact-memory-node pooled' : 'fact-memory-node',
      onConnect: async (client) => {
        const { allowed } = await prepareSession(client, options);
        // Behind a pooler the server counts the sessions of the pooler, which bounds them itself.
        if (!options.sharesSessions) this.#pool.options.max = options.sizeWithin?.(allowed) ?? options.size;
        this.#isSized = true;
      },
      Client: this.#tracked(options.driver ?? Client),
    });
    // Ignores the error, because the driver has already removed the lost idle connection.
    this.#pool.on('error', () => {});
    this.#primary.onMove(this.#follow);
  }

  /** Returns a driver class whose connections the pool can cut even before they are established. */
  #tracked(driver: typeof Client): typeof Client {
    return new Proxy(driver, {
      construct: (target, [config]: [ClientConfig]) => {
        const client = new target(config);
        this.#clients.add(client);
        client.once('end', () => this.#clients.delete(client));
        return client;
      },
    });
  }

  /**
   * Cuts the connections to the former primary. A paused one would stay silent, and could later serve outdated reads.
   */
  readonly #follow = (): void => {
    this.#pool.options.connectionString = this.#primary.url;
    for (const client of this.#clients) client.connection.stream.destroy();
  };

  /** Lends a connection, which the caller must return with `release`. Rejects with `unavailable`. */
  async lend(): Promise<PostgresConnection> {
    const client = await this.#connect();
    const connection = new PostgresConnection(client, this.#transactionSettings).watch();
    this.#lent.add(connection);
    this.#watch ??= setInterval(() => this.#cutSilent(), WATCH_MS).unref();
    return connection;
  }

  /** Lends a connection for the length of the work. */
  async use<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    const connection = await this.lend();
    try {
      return await work(connection);
    } catch (error) {
      if (isLoss(error)) connection.spoil();
      throw error;
    } finally {
      this.release(connection);
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      if (!this.#isSized) await this.#openFirst();
      return await this.#pool.connect();
    } catch (error) {
      if (!this.#primary.hasOthers) throw connectFailure(error);
    }
    await this.#primary.search();
    return this.#pool.connect().catch((error: unknown) => {
      throw connectFailure(error);
    });
  }

  /** Opens one connection before all others, because it tells how many the server allows. */
  #openFirst(): Promise<void> {
    this.#sizing ??= this.#pool
      .connect()
      .then((client) => client.release())
      .finally(() => {
        this.#sizing = undefined;
      });
    return this.#sizing;
  }

  /** Whether a caller waits for a connection. */
  get isAwaited(): boolean {
    return this.#pool.waitingCount > 0;
  }

  release(connection: PostgresConnection): void {
    this.#lent.delete(connection);
    connection.giveBack();
  }

  /** Waits until all connections are returned, then closes them. */
  async end(): Promise<void> {
    this.#primary.offMove(this.#follow);
    await this.#pool.end();
    clearInterval(this.#watch);
  }

  #cutSilent(): void {
    for (const connection of this.#lent) {
      const silentMs = connection.silentMs();
      if (silentMs > SEARCH_AFTER_MS) void this.#primary.search();
      if (silentMs > this.#longestSilenceMs) connection.cut();
    }
  }
}

/** The driver's message when its own time limit has passed. */
const POOL_IS_BUSY = 'timeout exceeded when trying to connect';

/** Returns whether a connection was missing only because all of them were in use. */
export const isBusy = (error: unknown): boolean => error instanceof ServiceError && error.message === ALL_BUSY;

const ALL_BUSY = 'all connections to the database are busy';

const connectFailure = (error: unknown): unknown => {
  if (error instanceof Error && error.message === POOL_IS_BUSY) {
    return new ServiceError('unavailable', ALL_BUSY, {
      hint: 'try again shortly; if it stays so, raise SVC_DATABASE_POOL_SIZE, or max_connections on the server',
    });
  }
  const known = toServiceError(error);
  if (known instanceof ServiceError) return known;
  return toServiceError(new ConnectionLost('no connection to the database', { cause: error }));
};

interface Inspected {
  readonly version: number;
  readonly encoding: string;
  readonly replica: boolean;
  /** The number of connections that the server allows to all processes together. */
  readonly allowed: number;
}

/** Applies the session settings and inspects the database, in one message. Throws for an unsuitable database. */
const prepareSession = async (client: ClientBase, options: PostgresPoolOptions): Promise<Inspected> => {
  const results = [
    await client.query(`${options.sharesSessions ? '' : `${settingsStatement(options, 'session')};`}
    SELECT current_setting('server_version_num')::int / 10000 AS version,
      current_setting('server_encoding') AS encoding, pg_is_in_recovery() AS replica,
      ${ALLOWED_CONNECTIONS} AS allowed`),
  ].flat() as { readonly rows: readonly unknown[] }[];
  const database = results.at(-1)?.rows[0] as Inspected;
  if (database.version < OLDEST_VERSION) {
    throw new ServiceError('unavailable', `the database is PostgreSQL ${database.version}, which is too old`, {
      hint: `upgrade it to PostgreSQL ${OLDEST_VERSION} or later`,
    });
  }
  if (database.encoding !== 'UTF8') {
    throw new ServiceError('unavailable', `the database keeps its text in ${database.encoding}`, {
      hint: "create it anew: CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
    });
  }
  if (options.isReplica === true && !database.replica) {
    throw new ServiceError('unavailable', 'the database is no replica', {
      hint: 'SVC_DATABASE_REPLICA_URLS must name servers that follow the primary',
    });
  }
  if (database.replica && options.isReplica !== true) {
    throw new ServiceError('unavailable', 'the database is a replica, which cannot be written', {
      hint: 'SVC_DATABASE_URL must name the primary server, or every server of the cluster',
    });
  }
  return database;
};
