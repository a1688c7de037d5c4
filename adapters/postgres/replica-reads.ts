import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceError, SqlValue } from '../../ports/ports.ts';
import { blameAddress } from './blame-address.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { faultOfError, faultOfState, REPLICA_SETTING, type ReplicaState } from './replica-fault.ts';

/**
 * The number of 10 ms ticks after which a read gives up on a replica and goes to the primary: 40 ms in all. A single
 * long timer would also fire after the event loop was blocked, and the replica would wrongly count as lagging. A
 * blocked event loop delivers one tick at most.
 */
const MOST_TICKS = 4;
const TICK_MS = 10;
/** The interval at which a waiting read checks a lagging replica again. */
const RECHECK_MS = 3;
/** The time without reads for a replica that lags or fails. */
const AVOIDED_MS = 1_000;

/** The current timeline of a primary. Its last checkpoint may still name an earlier one. */
export const TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int`;

const POSITION = `SELECT (${TIMELINE})::text, pg_current_wal_flush_lsn()::text`;

/** Identifies the database: equal on the primary and its replicas, and different everywhere else. */
export const IDENTITY = `SELECT concat_ws(' ', system_identifier,
  (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema()) FROM pg_control_system()`;

/**
 * Compares the timeline too. A replica of a former primary may hold commits that the present primary never had. The
 * last checkpoint of such a replica belongs to an earlier timeline.
 */
const REPLICA_STATE = `SELECT CASE
  WHEN NOT pg_is_in_recovery() THEN 'promoted'
  WHEN (${IDENTITY}) <> ? THEN 'foreign'
  WHEN timeline_id <> ?::int THEN 'diverged'
  WHEN pg_last_wal_replay_lsn() >= ?::pg_lsn THEN 'serves'
  ELSE 'behind' END FROM pg_control_checkpoint()`;

/** A server that follows the primary. */
export interface ReplicaServer {
  readonly pool: PostgresPool;
  /** Its address without user, password and parameters. */
  readonly name: string;
}

interface Replica extends ReplicaServer {
  avoidedUntilMs: number;
  /** The fault that was reported last; undefined once the replica has served a read. */
  fault: string | undefined;
}

/**
 * The outcome of an attempt to begin a read: a connection, or a fault. With neither, the replica lags or its
 * connections are all in use.
 */
interface Opened {
  readonly connection?: PostgresConnection;
  readonly fault?: ServiceError | undefined;
}

/** Writes a warning to the log of the node. */
export type Report = (message: string) => void;

/** A connection to a replica, in a transaction with a snapshot. */
export interface LentReplica {
  readonly connection: PostgresConnection;
  /** Gives the connection back. A replica that was lost with this error gets no reads for a while. */
  release(loss?: unknown): void;
}

/** Begins a transaction and takes its snapshot. */
export type BeginRead = (connection: PostgresConnection) => Promise<unknown>;

/**
 * Lends connections to replicas. A replica can serve a read when it has replayed everything that the primary had stored
 * as the read began. The read then sees the same state as on the primary, with all revoked rights and erasures.
 */
export class ReplicaReads {
  readonly #primary: PostgresPool;
  readonly #replicas: readonly Replica[];
  readonly #statements: PostgresStatements;
  readonly #report: Report;
  #identity: string | undefined;
  #turn = 0;
  #position: Promise<readonly string[]> | undefined;

  constructor(
    primary: PostgresPool,
    replicas: readonly ReplicaServer[],
    { statements, report }: { readonly statements: PostgresStatements; readonly report: Report },
  ) {
    this.#primary = primary;
    this.#statements = statements;
    this.#report = report;
    this.#replicas = replicas.map((replica) => ({ ...replica, avoidedUntilMs: 0, fault: undefined }));
  }

  /**
   * Returns undefined, within 50 ms, when no replica can serve. Never rejects. Adds a promise to `pins` that resolves
   * once the read has its snapshot: see `ReadTransactions`.
   */
  lend(begin: BeginRead, pins: Set<Promise<void>>): Promise<LentReplica | undefined> {
    const lending = this.#lend(begin);
    // Without a replica, the read begins on the primary. Commits of this process must wait until it has a snapshot
    // there.
    const pinned = lending.then((lent) => (lent === undefined ? afterTurns() : undefined));
    pins.add(pinned);
    void pinned.then(() => pins.delete(pinned));
    return lending;
  }

  async #lend(begin: BeginRead): Promise<LentReplica | undefined> {
    const replica = this.#next();
    if (replica === undefined) return undefined;
    const limit = new AbortController();
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
      if (ticks === MOST_TICKS) limit.abort();
    }, TICK_MS);
    // A timeout before the primary has reported its position is no fault of the replica.
    let hasPosition = false;
    const opening = this.#ask().then(
      (position) => {
        hasPosition = true;
        return this.#open(replica.pool, begin, position, limit.signal);
      },
      () => undefined,
    );
    const late = new Promise<undefined>((resolve) => {
      limit.signal.addEventListener('abort', () => resolve(undefined), { once: true });
    });
    const connection = (await Promise.race([opening, late]))?.connection;
    clearInterval(timer);
    if (connection === undefined) {
      if (hasPosition) avoid(replica);
      void opening.then((opened) => opened && this.#tooLate(replica, opened));
      return undefined;
    }
    this.#serves(replica);
    return {
      connection,
      release: (loss) => {
        if (loss !== undefined) {
          avoid(replica);
          this.#fails(replica, faultOfError(loss));
        }
        replica.pool.release(connection);
      },
    };
  }

  /** Ends an attempt that outlasted its read. */
  #tooLate(replica: Replica, { connection, fault }: Opened): void {
    if (connection !== undefined) void rollBack(replica.pool, connection);
    else this.#fails(replica, fault);
  }

  #serves(replica: Replica): void {
    if (replica.fault === undefined) return;
    replica.fault = undefined;
    this.#report(`${REPLICA_SETTING}: ${replica.name} serves reads again`);
  }

  /** Reports a fault once, and a different one as well. */
  #fails(replica: Replica, fault: ServiceError | undefined): void {
    if (fault === undefined || replica.fault === fault.message) return;
    replica.fault = fault.message;
    const { message, hint } = blameAddress(fault, REPLICA_SETTING);
    this.#report(`${message}; ${replica.name} serves no reads; ${hint}`);
  }

  #next(): Replica | undefined {
    const nowMs = performance.now();
    const ready = this.#replicas.filter(({ avoidedUntilMs }) => avoidedUntilMs <= nowMs);
    this.#turn += 1;
    return ready[this.#turn % ready.length];
  }

  /** Never rejects. */
  async #open(pool: PostgresPool, begin: BeginRead, position: readonly string[], limit: AbortSignal): Promise<Opened> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await pool.lend();
      while (!limit.aborted) {
        const checked = connection.arrays(this.#statements.prepared(REPLICA_STATE), position);
        // Pipelined behind the check. The server runs it afterwards, so the snapshot is as recent as the check at
        // least.
        const [{ rows }] = await Promise.all([checked, begin(connection)]);
        const state = rows[0]?.[0] as ReplicaState;
        if (state === 'serves') return { connection };
        await connection.command('ROLLBACK');
        const fault = faultOfState(state);
        if (fault !== undefined) {
          pool.release(connection);
          return { fault };
        }
        await sleep(RECHECK_MS);
      }
      pool.release(connection);
      return {};
    } catch (error) {
      connection?.spoil();
      if (connection !== undefined) pool.release(connection);
      return { fault: faultOfError(error) };
    }
  }

  /** Reads that begin in one turn of the event loop share a query to the primary, sent after that turn. */
  #ask(): Promise<readonly string[]> {
    this.#position ??= new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      this.#position = undefined;
      return this.#primary.use(async (connection) => {
        this.#identity ??= String((await this.#row(connection, IDENTITY))[0]);
        return [this.#identity, ...(await this.#row(connection, POSITION)).map(String)];
      });
    });
    return this.#position;
  }

  async #row(connection: PostgresConnection, sql: string): Promise<readonly SqlValue[]> {
    const { rows } = await connection.arrays(this.#statements.prepared(sql), []);
    return rows[0] ?? [];
  }
}

/** Waits two turns of the event loop, in which a free connection sends the BEGIN of a read. */
const afterTurns = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const avoid = (replica: Replica): void => {
  replica.avoidedUntilMs = performance.now() + AVOIDED_MS;
};

const rollBack = async (pool: PostgresPool, connection: PostgresConnection): Promise<void> => {
  await connection.command('ROLLBACK').catch(() => connection.spoil());
  pool.release(connection);
};
