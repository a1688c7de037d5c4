import { setTimeout as sleep } from 'node:timers/promises';
import type { ReadReplica, ServiceError, SqlValue } from '../../ports/ports.ts';
import { blameAddress } from './blame-address.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresPool } from './postgres-pool.ts';
import type { PostgresStatements } from './postgres-statements.ts';
import { faultOfError, faultOfState, REPLICA_SETTING, type ReplicaState } from './replica-fault.ts';
import { IDENTITY, POSITION, REPLICA_LAG, REPLICA_STATE } from './replica-statements.ts';

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
/** The time in milliseconds after which the state of a replica is returned without its answer. */
const LOOK_LIMIT_MS = 500;
/** Why a replica without a fault serves no reads for a moment. */
const LAGS = 'the server lags behind the primary';

/** A server that follows the primary. */
export interface ReplicaServer {
  readonly pool: PostgresPool;
  /** Its address without user, password and parameters. No two replicas have the same name. */
  readonly name: string;
}

interface Replica extends ReplicaServer {
  avoidedUntilMs: number;
  /** The fault that was reported last; undefined once the replica has served a read. */
  fault: string | undefined;
  /** Reads that it has served, and those that the primary has served in its place. */
  reads: number;
  readsOnPrimary: number;
  /** The pending question for its state. A server that does not reply gets one at a time. */
  looking: Promise<Look> | undefined;
}

/** The present state of a replica, as far as it is known. */
interface Look {
  readonly fault?: ServiceError | undefined;
  readonly lagBytes: number | null;
}

const NOTHING_SEEN: Look = { lagBytes: null };

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
    this.#replicas = replicas.map((replica) => ({
      ...replica,
      avoidedUntilMs: 0,
      fault: undefined,
      reads: 0,
      readsOnPrimary: 0,
      looking: undefined,
    }));
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

  /** See `FactStore.replicas`. */
  list(): Promise<readonly ReadReplica[]> {
    return Promise.all(
      this.#replicas.map(async (replica) => {
        const late = sleep(LOOK_LIMIT_MS, NOTHING_SEEN, { ref: false });
        const { fault, lagBytes } = await Promise.race([this.#look(replica), late]);
        const { name, avoidedUntilMs, reads, readsOnPrimary } = replica;
        const avoided = avoidedUntilMs > performance.now() ? (replica.fault ?? LAGS) : null;
        return { address: name, leftOut: fault?.message ?? avoided, lagBytes, reads, readsOnPrimary };
      }),
    );
  }

  #look(replica: Replica): Promise<Look> {
    replica.looking ??= this.#lookNow(replica).finally(() => {
      replica.looking = undefined;
    });
    return replica.looking;
  }

  /** Never rejects. */
  async #lookNow({ pool }: Replica): Promise<Look> {
    const position = await this.#ask().catch(() => undefined);
    // Without the primary, nobody knows what a replica lacks.
    if (position === undefined) return NOTHING_SEEN;
    try {
      const parameters = [...position, ...position.slice(-1)];
      const [state, bytes] = await pool.use((connection) => this.#row(connection, REPLICA_LAG, parameters));
      return { fault: faultOfState(state as ReplicaState), lagBytes: bytes === null ? null : Number(bytes) };
    } catch (error) {
      return { fault: faultOfError(error), lagBytes: null };
    }
  }

  async #lend(begin: BeginRead): Promise<LentReplica | undefined> {
    const nowMs = performance.now();
    const ready = this.#replicas.filter(({ avoidedUntilMs }) => avoidedUntilMs <= nowMs);
    const taken = ready.length > 0 ? ready : this.#replicas;
    this.#turn += 1;
    const replica = taken[this.#turn % taken.length] as Replica;
    const connection = ready.length > 0 ? await this.#attempt(replica, begin) : undefined;
    if (connection === undefined) {
      replica.readsOnPrimary += 1;
      return undefined;
    }
    this.#serves(replica);
    return {
      connection,
      release: (loss) => {
        if (loss === undefined) replica.reads += 1;
        else {
          replica.readsOnPrimary += 1;
          avoid(replica);
          this.#fails(replica, faultOfError(loss));
        }
        replica.pool.release(connection);
      },
    };
  }

  /** Begins a read on a replica that is up to date, or returns undefined in time. Never rejects. */
  async #attempt(replica: Replica, begin: BeginRead): Promise<PostgresConnection | undefined> {
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
    }
    return connection;
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

  async #row(
    connection: PostgresConnection,
    sql: string,
    parameters: readonly string[] = [],
  ): Promise<readonly SqlValue[]> {
    const { rows } = await connection.arrays(this.#statements.prepared(sql), parameters);
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
