import type { ReadReplica } from '../../ports/ports.ts';
import type { SqlSession } from '../sql/sql-engine.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import type { PostgresPools } from './postgres-engine.ts';
import { isEndedByServer, isLoss, isRetryable } from './postgres-errors.ts';
import type { PostgresPool } from './postgres-pool.ts';
import { PostgresSession, type SessionParts } from './postgres-session.ts';
import { type BeginRead, ReplicaReads, type Report } from './replica-reads.ts';

const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';
const beginSnapshot: BeginRead = (connection) =>
  Promise.all([connection.begin(BEGIN_READ), connection.command('SELECT 1')]);

/** The read transactions of a store, on the primary or on a replica. */
export class ReadTransactions {
  readonly #primary: PostgresPool;
  readonly #replicas: ReplicaReads | undefined;
  readonly #parts: SessionParts;
  /** Pending snapshots of reads that have begun. */
  readonly #pins = new Set<Promise<void>>();

  constructor({ readers, replicas }: PostgresPools, parts: SessionParts, report: Report) {
    this.#primary = readers;
    this.#replicas =
      replicas.length === 0 ? undefined : new ReplicaReads(readers, replicas, { statements: parts.statements, report });
    this.#parts = parts;
  }

  /** See `FactStore.replicas`. */
  async replicas(): Promise<readonly ReadReplica[]> {
    return (await this.#replicas?.list()) ?? [];
  }

  /**
   * Reads on a replica that is up to date. Reads on the primary when there is none, or when the replica is lost before
   * its first result.
   */
  async run<T>(work: (session: SqlSession) => Promise<T>): Promise<T> {
    const lent = await this.#replicas?.lend(beginSnapshot, this.#pins);
    if (lent !== undefined) {
      let loss: unknown;
      try {
        return await this.#look(lent.connection, work, true);
      } catch (error) {
        if (!isLoss(error)) throw error;
        loss = error;
      } finally {
        lent.release(loss);
      }
    }
    const onPrimary = (): Promise<T> => this.#primary.use((connection) => this.#look(connection, work));
    // Tries again, because the pool may still hold an idle session that the server has just ended.
    return onPrimary().catch((error: unknown) => (isEndedByServer(error) ? onPrimary() : Promise.reject(error)));
  }

  async #look<T>(
    connection: PostgresConnection,
    work: (session: SqlSession) => Promise<T>,
    hasBegun = false,
  ): Promise<T> {
    const session = new PostgresSession(connection, this.#parts);
    try {
      if (!hasBegun) {
        // Does not await BEGIN, so that the first statement of `work` follows at once.
        connection.begin(BEGIN_READ).catch((error: unknown) => session.fail(error));
        process.nextTick(() => this.#pin(session));
      }
      return await work(session);
    } catch (error) {
      // A read without a result so far can safely run again.
      const mayRepeat = !session.answered && (isRetryable(session.cause) || isLoss(session.cause));
      throw mayRepeat ? session.cause : error;
    } finally {
      session.end();
      connection.command('COMMIT').catch(() => {});
      if (isLoss(session.cause)) connection.spoil();
    }
  }

  /**
   * Takes the snapshot unless a statement of the work has taken it, because BEGIN alone takes none. Commits of this
   * process wait for the snapshot, so that a read never sees a change that this process made after the read began.
   */
  #pin(session: PostgresSession): void {
    const pinned = session.pin();
    if (pinned === undefined) return;
    this.#pins.add(pinned);
    void pinned.then(() => this.#pins.delete(pinned));
  }

  /** Resolves when every read that has begun has its snapshot. */
  async pinned(): Promise<void> {
    if (this.#pins.size > 0) await Promise.all(this.#pins);
  }
}
