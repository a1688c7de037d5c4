import type { Knex } from 'knex';
import {
  type CopyOptions,
  type ReadReplica,
  ServiceError,
  type SqlValue,
  type StoreCopy,
  type StructureCheck,
  type StructureProgress,
} from '../../ports/ports.ts';
import { TURN_LIMIT_MS, UNHURRIED_MS } from '../sql/fifo-lock.ts';
import type { SqlEngine, SqlSession, WriteManner } from '../sql/sql-engine.ts';
import { identifier } from '../sql/sql-identifier.ts';
import { checkStructure } from './check-structure.ts';
import { copyRows } from './copy-rows.ts';
import { InsertStatements } from './insert-statements.ts';
import { KeyedTurns } from './keyed-turns.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { postgresDialect } from './postgres-dialect.ts';
import { commitUnknown, isLoss } from './postgres-errors.ts';
import { createPostgresBuilders, type StatementOutcome } from './postgres-knex-client.ts';
import { SIGNAL_CHANNEL } from './postgres-listener.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { PostgresSession, type SessionParts } from './postgres-session.ts';
import { PostgresSignals, type PostgresSignalsOptions } from './postgres-signals.ts';
import { PostgresStatements } from './postgres-statements.ts';
import { encodeParameter } from './postgres-values.ts';
import { ReadTransactions } from './read-transactions.ts';
import type { ReplicaServer, Report } from './replica-reads.ts';
import { TableColumns } from './table-columns.ts';
import { TableGrowth } from './table-growth.ts';
import { begin, commit, onItsOwn, perform, withRetries } from './transaction-steps.ts';

/**
 * Separate pools for reads and writes. A write also reads, and must never wait for a connection that another write
 * holds.
 */
export interface PostgresPools {
  readonly readers: PostgresPool;
  readonly writers: PostgresPool;
  /** Servers that follow the primary. */
  readonly replicas: readonly ReplicaServer[];
}

const SCRUB_LIMITS: readonly string[] = [
  'dead rows in the files of the database, until VACUUM FULL rewrites its tables',
  'the write-ahead log of the database, its archive, and its replicas, until they have gone past this moment',
];

const PROBE = `NOTIFY ${SIGNAL_CHANNEL}`;

/**
 * Limits the statistics sample to 3,000 rows, enough for row counts and frequent values. The default of 30,000 slows
 * down a busy server for a second.
 */
const ROUGHLY = 'SET LOCAL default_statistics_target = 10';

/** Connections to one database, and the transactions on them. */
export class PostgresEngine implements SqlEngine {
  readonly dialect = postgresDialect;
  readonly #pools: PostgresPools;
  readonly #parts: SessionParts;
  readonly #turns = new KeyedTurns();
  /** Transactions that were begun early for the next write, by lock. */
  readonly #ahead = new Map<string, { readonly connection: PostgresConnection; readonly begun: Promise<void> }>();
  readonly #reads: ReadTransactions;
  readonly #signals: PostgresSignals;
  readonly #url: string;
  #running = 0;
  #idle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  /** `direct` bypasses a pooler, because signals and long work need sessions of the server itself. */
  constructor(
    pools: PostgresPools,
    direct: Omit<PostgresSignalsOptions, 'probe'> & { readonly url: string },
    { report, ...statementOptions }: { readonly areNamed: boolean; readonly report: Report },
  ) {
    this.#pools = pools;
    this.#url = direct.url;
    const probe = () => pools.readers.use((connection) => connection.command(PROBE));
    this.#signals = new PostgresSignals({ ...direct, probe: () => this.#counted(probe) });
    const statements = new PostgresStatements(statementOptions);
    this.#parts = {
      statements,
      inserts: new InsertStatements(new TableColumns(), statements),
      growth: new TableGrowth(),
      knex: createPostgresBuilders({ perform: (...statement) => this.#alone(...statement) }),
    };
    this.#reads = new ReadTransactions(pools, this.#parts, report);
  }

  read<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    return this.#counted(() => withRetries(() => this.#reads.run(work)));
  }

  write<T>(
    lock: string,
    work: (session: SqlSession) => Promise<T>,
    { unhurried = false }: WriteManner = {},
  ): Promise<T> {
    const perform = () => withRetries(() => this.#transact(lock, work, unhurried));
    return this.#counted(async () => {
      try {
        return await this.#turns.hold(lock, perform, unhurried ? UNHURRIED_MS : TURN_LIMIT_MS);
      } finally {
        if (this.#ahead.size > 0) await this.#abandon(lock);
      }
    });
  }

  replicas(): Promise<readonly ReadReplica[]> {
    return this.#counted(() => this.#reads.replicas());
  }

  table(name: string): Knex.QueryBuilder {
    return this.#parts.knex(name);
  }

  onSignal(topic: string, listener: () => void): () => void {
    return this.#signals.onSignal(topic, listener);
  }

  /** Requests a transaction number, which a read-only server refuses. */
  ping(): Promise<void> {
    return this.#counted(async () => {
      await this.#turns.settled(TURN_LIMIT_MS);
      await withRetries(() => this.#onWriter((connection) => connection.command('SELECT pg_current_xact_id()')));
    });
  }

  /**
   * Leaves dead rows alone. No query can reach them, and the database overwrites their bytes when it reuses the pages.
   */
  async scrub(): Promise<readonly string[]> {
    await this.ping();
    return SCRUB_LIMITS;
  }

  /** Uses a separate connection, so that the time limits of the pool do not end the copy. */
  copyInto(folder: string, options: CopyOptions): Promise<StoreCopy> {
    return this.#counted(() => copyRows(this.#url, folder, options));
  }

  /** Uses a separate connection, so that the time limits of the pool do not end the check. */
  checkStructure(onProgress: StructureProgress): Promise<StructureCheck> {
    return this.#counted(() => checkStructure(this.#url, onProgress));
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
    const quiet = this.#signals.close();
    if (this.#running > 0) {
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
    }
    const { readers, writers, replicas } = this.#pools;
    await Promise.all([...[readers, writers, ...replicas.map(({ pool }) => pool)].map((pool) => pool.end()), quiet]);
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

  async #transact<T>(lock: string, work: (session: SqlSession) => Promise<T>, unhurried: boolean): Promise<T> {
    const ahead = unhurried ? undefined : this.#ahead.get(lock);
    if (ahead !== undefined) this.#ahead.delete(lock);
    const connection = ahead?.connection ?? (await this.#pools.writers.lend());
    let handedOn = false;
    try {
      connection.patient = unhurried;
      await (ahead?.begun ?? begin(connection, lock, unhurried));
      const session = new PostgresSession(connection, this.#parts);
      const result = await perform(connection, session, work);
      await this.#reads.pinned();
      const committed = commit(connection, session);
      handedOn = !unhurried && this.#beginAhead(lock, connection);
      await committed;
      this.#signals.committed(session.signals);
      for (const table of this.#parts.growth.take()) void this.#analyse(table);
      return result;
    } catch (error) {
      if (isLoss(error)) connection.spoil();
      throw error;
    } finally {
      if (!handedOn) this.#pools.writers.release(connection);
    }
  }

  /**
   * When another write waits for this lock, begins its transaction in the same message as this commit. The other write
   * saves a round trip. Does nothing while a tenant waits for a connection, which that tenant might otherwise never
   * get. Returns whether the next write uses the connection.
   */
  #beginAhead(lock: string, connection: PostgresConnection): boolean {
    if (!this.#turns.isAwaited(lock) || this.#ahead.has(lock) || this.#pools.writers.isAwaited) return false;
    const begun = begin(connection, lock, false);
    // Ignored here, because the write that takes over the session rejects with this failure.
    begun.catch(() => {});
    this.#ahead.set(lock, { connection, begun });
    return true;
  }

  /** Rolls back an early transaction whose write has given up. */
  async #abandon(lock: string): Promise<void> {
    const ahead = this.#ahead.get(lock);
    if (ahead === undefined || this.#turns.isHeld(lock)) return;
    this.#ahead.delete(lock);
    const { connection, begun } = ahead;
    const over = begun.then(() => connection.command('ROLLBACK'));
    await over.catch(() => connection.spoil());
    this.#pools.writers.release(connection);
  }

  #alone(sql: string, parameters: readonly SqlValue[], kind: 'read' | 'write'): Promise<StatementOutcome> {
    const statement = { text: sql, name: undefined };
    const perform = (connection: PostgresConnection): Promise<StatementOutcome> =>
      onItsOwn(connection, () => connection.records(statement, parameters.map(encodeParameter)));
    return this.#counted(() =>
      withRetries(() =>
        kind === 'read'
          ? this.#pools.readers.use(perform)
          : this.#onWriter(async (connection) => {
              await this.#reads.pinned();
              return perform(connection).catch((error: unknown) => {
                throw isLoss(error) ? commitUnknown(error) : error;
              });
            }),
      ),
    );
  }

  /** Gathers statistics in the background. Ignores a failure, because the database gathers them later itself. */
  async #analyse(table: string): Promise<void> {
    if (this.#closing !== undefined) return;
    await this.#counted(() =>
      this.#pools.readers.use(async (connection) => {
        connection.patient = true;
        const gathered = connection.command(`BEGIN; ${ROUGHLY}; ANALYZE ${identifier(table)}; COMMIT`);
        // Discards the connection on a failure, because its transaction would stay open.
        await gathered.catch(() => connection.spoil());
      }),
    ).catch(() => {});
  }

  #onWriter<T>(work: (connection: PostgresConnection) => Promise<T>): Promise<T> {
    return this.#pools.writers.use(work);
  }
}
