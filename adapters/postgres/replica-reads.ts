import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceError, SqlValue } from '../../ports/ports.ts';
import { blameAddress } from './blame-address.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { faultOfError, faultOfStand, REPLICA_SETTING, type ReplicaStand } from './replica-fault.ts';

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

/** The present timeline of a primary, whose last checkpoint may be of an earlier one. */
export const TIMELINE = `('x' || substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8))::bit(32)::int`;

const POSITION = `SELECT (${TIMELINE})::text, pg_current_wal_flush_lsn()::text`;

/** Selects what a server and its replicas have in common, and no other database has. */
export const IDENTITY = `SELECT concat_ws(' ', system_identifier,
  (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema()) FROM pg_control_system()`;

/**
 * Compares the timeline as well. A replica that followed a former primary may hold commits which the present one has
 * never had. Its last checkpoint is of an earlier timeline.
 */
const STAND = `SELECT CASE
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
  leftOutUntilMs: number;
  /** The reported reason why it serves no reads. */
  fault: string | undefined;
}

/** The end of an attempt to begin a read. Without a connection or a fault the replica lags. */
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
    this.#replicas = replicas.map((replica) => ({ ...replica, leftOutUntilMs: 0, fault: undefined }));
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
    // While the primary has not told its position, nothing is known about the replica.
    let isAsked = false;
    const opening = this.#ask().then(
      (position) => {
        isAsked = true;
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
      if (isAsked) leaveOut(replica);
      void opening.then((opened) => opened && this.#tooLate(replica, opened));
      return undefined;
    }
    this.#serves(replica);
    return {
      connection,
      release: (loss) => {
        if (loss !== undefined) {
          leaveOut(replica);
          this.#fails(replica, faultOfError(loss));
        }
        replica.pool.release(connection);
      },
    };
  }

  /** Ends an attempt for which no read waits any more. */
  #tooLate(replica: Replica, { connection, fault }: Opened): void {
    if (connection !== undefined) void discard(replica.pool, connection);
    else this.#fails(replica, fault);
  }

  #serves(replica: Replica): void {
    if (replica.fault === undefined) return;
    replica.fault = undefined;
    this.#report(`${REPLICA_SETTING}: ${replica.name} serves reads again`);
  }

  /** Reports a fault once, and again when it is another one. */
  #fails(replica: Replica, fault: ServiceError | undefined): void {
    if (fault === undefined || replica.fault === fault.message) return;
    replica.fault = fault.message;
    const { message, hint } = blameAddress(fault, REPLICA_SETTING);
    this.#report(`${message}; ${replica.name} serves no reads; ${hint}`);
  }

  #next(): Replica | undefined {
    const nowMs = performance.now();
    const ready = this.#replicas.filter(({ leftOutUntilMs }) => leftOutUntilMs <= nowMs);
    this.#turn += 1;
    return ready[this.#turn % ready.length];
  }

  /** Never rejects. */
  async #open(pool: PostgresPool, begin: BeginRead, position: readonly string[], limit: AbortSignal): Promise<Opened> {
    let connection: PostgresConnection | undefined;
    try {
      connection = await pool.lend();
      while (!limit.aborted) {
        const looked = connection.arrays(this.#statements.prepared(STAND), position);
        // Follows at once. The server runs it after the look, so that the snapshot is at least as far as the look says.
        const [{ rows }] = await Promise.all([looked, begin(connection)]);
        const stand = rows[0]?.[0] as ReplicaStand;
        if (stand === 'serves') return { connection };
        await connection.command('ROLLBACK');
        const fault = faultOfStand(stand);
        if (fault !== undefined) {
          pool.release(connection);
          return { fault };
        }
        await sleep(LOOK_AGAIN_MS);
      }
      pool.release(connection);
      return {};
    } catch (error) {
      connection?.spoil();
      if (connection !== undefined) pool.release(connection);
      return { fault: faultOfError(error) };
    }
  }

  /** Reads that begin in one turn of the event loop share a question to the primary, which leaves after that turn. */
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
