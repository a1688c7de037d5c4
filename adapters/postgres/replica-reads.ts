import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlValue } from '../../ports/ports.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { PostgresStatements } from './postgres-statements.ts';

/**
 * The number of pauses for which a read waits for a replica, before it goes to the primary: 40 ms in all. A single
 * pause would count a busy event loop as a replica that lags.
 */
const PAUSES = 4;
const PAUSE_MS = 10;
/** The pause between two looks at a replica that lags. */
const LOOK_AGAIN_MS = 3;
/** The time for which a replica that lags or fails gets no reads. */
const LEFT_OUT_MS = 1_000;

const POSITION = `SELECT pg_current_wal_flush_lsn()::text,
  ('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int::text`;

/** Selects what a server and its replicas have in common, and no other database has. */
const IDENTITY = `SELECT concat_ws(' ', system_identifier,
  (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema()) FROM pg_control_system()`;

/**
 * Compares the timeline as well. A replica that followed a former primary may hold commits which the present one has
 * never had. Its last checkpoint is of an earlier timeline.
 */
const REACHED = `SELECT (pg_is_in_recovery() AND pg_last_wal_replay_lsn() >= ?::pg_lsn AND timeline_id = ?::int
  AND (${IDENTITY}) = ?)::int FROM pg_control_checkpoint()`;

interface Replica {
  readonly pool: PostgresPool;
  leftOutUntilMs: number;
}

/** A connection to a replica, in a transaction with a snapshot. */
export interface LentReplica {
  readonly connection: PostgresConnection;
  /** Gives the connection back. A failed replica gets no reads for a while. */
  release(hasFailed: boolean): void;
}

/** Begins a read, so that its snapshot is taken. */
export type BeginRead = (connection: PostgresConnection) => Promise<unknown>;

/**
 * Lends a replica to a read when it has replayed everything that the primary had stored as the read began. The read
 * sees there what it would see on the primary, revoked rights and erasures included.
 */
export class ReplicaReads {
  readonly #primary: PostgresPool;
  readonly #replicas: readonly Replica[];
  readonly #statements: PostgresStatements;
  #identity: string | undefined;
  #turn = 0;
  #position: Promise<readonly string[]> | undefined;

  constructor(primary: PostgresPool, replicas: readonly PostgresPool[], statements: PostgresStatements) {
    this.#primary = primary;
    this.#statements = statements;
    this.#replicas = replicas.map((pool) => ({ pool, leftOutUntilMs: 0 }));
  }

  /**
   * Returns undefined, within 50 ms, when no replica can serve. Never rejects. Adds to `pins` a promise for the time
   * until the snapshot: see `ReadTransactions`.
   */
  lend(begin: BeginRead, pins: Set<Promise<void>>): Promise<LentReplica | undefined> {
    const lending = this.#lend(begin);
    // Without a replica the read has to begin on the primary before a commit of this process goes on.
    const pinned = lending.then((lent) => (lent === undefined ? afterTurns() : undefined));
    pins.add(pinned);
    void pinned.then(() => pins.delete(pinned));
    return lending;
  }

  async #lend(begin: BeginRead): Promise<LentReplica | undefined> {
    const replica = this.#next();
    if (replica === undefined) return undefined;
    const limit = new AbortController();
    let pauses = 0;
    const timer = setInterval(() => {
      pauses += 1;
      if (pauses === PAUSES) limit.abort();
    }, PAUSE_MS);
    const opening = this.#open(replica.pool, begin, limit.signal).catch(() => undefined);
    const late = new Promise<undefined>((resolve) => {
      limit.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const connection = await Promise.race([opening, late]);
    clearInterval(timer);
    if (connection === undefined) {
      leaveOut(replica);
      void opening.then((unused) => unused && discard(replica.pool, unused));
      return undefined;
    }
    return {
      connection,
      release: (hasFailed) => {
        if (hasFailed) leaveOut(replica);
        replica.pool.release(connection);
      },
    };
  }

  #next(): Replica | undefined {
    const nowMs = performance.now();
    const ready = this.#replicas.filter(({ leftOutUntilMs }) => leftOutUntilMs <= nowMs);
    this.#turn += 1;
    return ready[this.#turn % ready.length];
  }

  async #open(pool: PostgresPool, begin: BeginRead, limit: AbortSignal): Promise<PostgresConnection | undefined> {
    const position = await this.#ask();
    const connection = await pool.lend();
    try {
      while (!limit.aborted) {
        const looked = connection.arrays(this.#statements.prepared(REACHED), position);
        // Follows at once. The server runs it after the look, so that the snapshot is at least as far as the look says.
        const [{ rows }] = await Promise.all([looked, begin(connection)]);
        if (rows[0]?.[0] === 1) return connection;
        await connection.command('ROLLBACK');
        await sleep(LOOK_AGAIN_MS);
      }
    } catch {
      connection.spoil();
    }
    pool.release(connection);
    return undefined;
  }

  /** Reads that begin in one turn of the event loop share a question to the primary, which leaves after that turn. */
  #ask(): Promise<readonly string[]> {
    this.#position ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#position = undefined;
      return this.#primary.use(async (connection) => {
        this.#identity ??= String((await this.#row(connection, IDENTITY))[0]);
        return [...(await this.#row(connection, POSITION)).map(String), this.#identity];
      });
    });
    return this.#position;
  }

  async #row(connection: PostgresConnection, sql: string): Promise<readonly SqlValue[]> {
    const { rows } = await connection.arrays(this.#statements.prepared(sql), []);
    return rows[0] ?? [];
  }
}

/** Waits for as long as a free connection needs to send the beginning of a transaction. */
const afterTurns = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const leaveOut = (replica: Replica): void => {
  replica.leftOutUntilMs = performance.now() + LEFT_OUT_MS;
};

/** Ends a transaction that came too late. */
const discard = async (pool: PostgresPool, connection: PostgresConnection): Promise<void> => {
  await connection.command('ROLLBACK').catch(() => connection.spoil());
  pool.release(connection);
};
