import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { ServiceError, type SqlValue } from '../../ports/ports.ts';
import type { SqlEngine, SqlSession, WriteManner } from '../sql/sql-engine.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { InsertStatements } from './insert-statements.ts';
import { KeyedTurns } from './keyed-turns.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { commitUnknown, isLoss, isRetryable, toServiceError } from './postgres-errors.ts';
import { createPostgresBuilders, type StatementOutcome } from './postgres-knex-client.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { PostgresSession, type SessionParts } from './postgres-session.ts';
import { PostgresStatements } from './postgres-statements.ts';
import { encodeParameter } from './postgres-values.ts';
import { TableColumns } from './table-columns.ts';
import { TableGrowth } from './table-growth.ts';

/** Two pools, so that reads which a write makes never wait for a connection that another write holds. */
export interface PostgresPools {
  readonly readers: PostgresPool;
  readonly writers: PostgresPool;
}

/** How long a write waits for those of its tenant in this process. */
const TURN_LIMIT_MS = 30_000;
/** The longest that a timer can wait. */
const UNHURRIED_MS = 2 ** 31 - 1;

const MOST_ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 20;

/** The whole transaction sees what was committed when its first statement began. */
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
/** Every statement sees what was committed when it began, so that those after the lock see all that its last holder wrote. */
const BEGIN_WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
const WITHOUT_LIMITS =
  'SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

/** Connections to one database, and the transactions on them. */
export class PostgresEngine implements SqlEngine {
  readonly dialect = postgresDialect;
  readonly #pools: PostgresPools;
  readonly #parts: SessionParts;
  readonly #turns = new KeyedTurns();
  /** Snapshots of reads that have asked for nothing yet. */
  readonly #pins = new Set<Promise<void>>();
  #running = 0;
  #idle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor(pools: PostgresPools) {
    this.#pools = pools;
    const statements = new PostgresStatements();
    this.#parts = {
      statements,
      inserts: new InsertStatements(new TableColumns(), statements),
      growth: new TableGrowth(),
      knex: createPostgresBuilders({ perform: (...statement) => this.#alone(...statement) }),
    };
  }

  read<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#counted(() =>
      withRetries(() => onLoan(this.#pools.readers, (connection) => this.#look(connection, work))),
    );
  }

  write<T>(
    lock: string,
    work: (session: SqlSession) => Promise<T>,
    { unhurried = false }: WriteManner = {},
  ): Promise<T> {
    const perform = () => withRetries(() => this.#transact(lock, work, unhurried));
    return this.#counted(() => this.#turns.hold(lock, perform, unhurried ? UNHURRIED_MS : TURN_LIMIT_MS));
  }

  table(name: string): Knex.QueryBuilder {
    return this.#parts.knex(name);
  }

  /** A transaction number is given to nobody who could not write. */
  ping(): Promise<void> {
    return this.#counted(async () => {
      await this.#turns.settled(TURN_LIMIT_MS);
      await withRetries(() => this.#onWriter((connection) => connection.command('SELECT pg_current_xact_id()')));
    });
  }

  schemaChanged(): void {
    this.#parts.statements.rename();
    this.#parts.inserts.forget();
  }

  close(): Promise<void> {
    this.#closing ??= this.#shutDown();
    return this.#closing;
  }

  async #shutDown(): Promise<void> {
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    await Promise.all([this.#pools.readers.end(), this.#pools.writers.end()]);
  }

  async #counted<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) {
      throw new ServiceError('unavailable', 'the store is closed', { hint: 'the node is stopping' });
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#idle?.();
    }
  }

  async #look<T>(connection: PostgresConnection, work: (session: SqlSession) => Promise<T>): Promise<T> {
    const session = new PostgresSession(connection, this.#parts);
    try {
      // Nobody waits for this: the first statement of `work` follows it at once.
      connection.command(BEGIN_READ).catch((error: unknown) => session.fail(error));
      process.nextTick(() => this.#pin(session));
      return await work(session);
    } catch (error) {
      // Work that has seen nothing yet may begin anew.
      throw isRetryable(session.cause) && !session.answered ? session.cause : error;
    } finally {
      session.end();
      connection.command('COMMIT').catch(() => {});
      if (isLoss(session.cause)) connection.spoil();
    }
  }

  /**
   * Takes the snapshot, unless the work has done so by asking for something before it waits for anything: BEGIN alone does not, the first
   * statement does. Commits of this process wait for it, so that no work sees what it has caused itself after its snapshot began.
   */
  #pin(session: PostgresSession): void {
    const pinned = session.pin();
    if (pinned === undefined) return;
    this.#pins.add(pinned);
    void pinned.then(() => this.#pins.delete(pinned));
  }

  #transact<T>(lock: string, work: (session: SqlSession) => Promise<T>, unhurried: boolean): Promise<T> {
    return this.#onWriter(async (connection) => {
      connection.patient = unhurried;
      await begin(connection, lock, unhurried);
      const session = new PostgresSession(connection, this.#parts);
      let result: T;
      try {
        result = await work(session);
        if (session.failure !== undefined) throw session.failure;
      } catch (error) {
        session.end();
        await connection.command('ROLLBACK').catch(() => connection.spoil());
        throw isRetryable(session.cause) ? session.cause : error;
      }
      session.end();
      await this.#pinned();
      await commit(connection, session);
      for (const table of this.#parts.growth.take()) void this.#analyse(table);
      return result;
    });
  }

  /** A statement on no transaction is one of its own, and is committed before its answer comes. */
  #alone(sql: string, parameters: readonly SqlValue[], kind: 'read' | 'write'): Promise<StatementOutcome> {
    const perform = (connection: PostgresConnection): Promise<StatementOutcome> =>
      connection.records({ text: sql, name: undefined }, parameters.map(encodeParameter));
    return this.#counted(() =>
      withRetries(() =>
        kind === 'read'
          ? onLoan(this.#pools.readers, perform)
          : this.#onWriter(async (connection) => {
              await this.#pinned();
              return perform(connection).catch((error: unknown) => {
                throw isLoss(error) ? commitUnknown(error) : error;
              });
            }),
      ),
    );
  }

  /** Gathers statistics, beside the work that goes on. The database does so too, later, so that a failure costs nothing but time. */
  async #analyse(table: string): Promise<void> {
    if (this.#closing !== undefined) return;
    await this.#counted(() =>
      onLoan(this.#pools.readers, async (connection) => {
        connection.patient = true;
        await connection.command(`ANALYZE ${identifier(table)}`);
      }),
    ).catch(() => {});
  }

  async #pinned(): Promise<void> {
    if (this.#pins.size > 0) await Promise.all(this.#pins);
  }

  #onWriter<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return onLoan(this.#pools.writers, work);
  }
}

const onLoan = async <T>(pool: PostgresPool, work: (connection: PostgresConnection) => Promise<T>): Promise<T> => {
  const connection = await pool.lend();
  try {
    return await work(connection);
  } catch (error) {
    if (isLoss(error)) connection.spoil();
    throw error;
  } finally {
    pool.release(connection);
  }
};

/** The transaction did not even begin, on a connection that had been idle: another may do better. */
class BeginLost extends Error {}

/** The lock is a statement of its own, so that what is read after it sees all that its last holder wrote. */
const begin = async (connection: PostgresConnection, lock: string, unhurried: boolean): Promise<void> => {
  const limits = unhurried ? `${WITHOUT_LIMITS}; ` : '';
  try {
    await connection.command(`${BEGIN_WRITE}; ${limits}SELECT pg_advisory_xact_lock(${lockKey(lock)})`);
  } catch (error) {
    if (isLoss(error)) {
      connection.spoil();
      throw new BeginLost('the transaction did not begin', { cause: error });
    }
    await connection.command('ROLLBACK').catch(() => connection.spoil());
    throw error;
  }
};

/** Inserts may still be under way. When one fails, the server rolls back and says so in its answer to the commit. */
const commit = async (connection: PostgresConnection, session: PostgresSession): Promise<void> => {
  let outcome: string;
  try {
    outcome = await connection.command('COMMIT');
  } catch (error) {
    throw isLoss(error) ? commitUnknown(error) : error;
  }
  if (outcome === 'COMMIT') return;
  throw isRetryable(session.cause)
    ? session.cause
    : (session.failure ?? new Error('the transaction had failed before it was committed'));
};

/** Runs `attempt` anew, from its beginning, when the database called it off. Every error that leaves is one for callers. */
const withRetries = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const lost = error instanceof BeginLost;
      if (attempts === MOST_ATTEMPTS || !(lost || isRetryable(error))) throw toServiceError(lost ? error.cause : error);
      // Two that collided must not do so in step.
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  }
};

/** Advisory locks are numbers of 64 bits, for the whole database. */
const lockKey = (lock: string): string => createHash('sha256').update(lock).digest().readBigInt64BE().toString();
