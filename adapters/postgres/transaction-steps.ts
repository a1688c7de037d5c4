import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SqlSession } from '../sql/sql-engine.ts';
import type { PostgresConnection } from './postgres-connection.ts';
import { commitUnknown, isLoss, isRetryable, toServiceError } from './postgres-errors.ts';
import type { PostgresSession } from './postgres-session.ts';

/** The steps of a write transaction on one connection, and its retries. */

const MOST_ATTEMPTS = 5;
const LONGEST_PAUSE_MS = 20;

/**
 * Read committed lets each statement see all earlier commits, so that statements after the lock see everything that its
 * last holder wrote.
 */
const BEGIN_WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE';
const WITHOUT_LIMITS =
  'SET LOCAL lock_timeout = 0; SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0';

/** The transaction did not begin on an idle connection. Another connection may succeed. */
class BeginLost extends Error {}

/**
 * Begins a transaction and takes the lock in a separate statement, so that later statements see everything that its
 * last holder wrote.
 */
export const begin = async (connection: PostgresConnection, lock: string, unhurried: boolean): Promise<void> => {
  const limits = unhurried ? `${WITHOUT_LIMITS}; ` : '';
  try {
    await connection.begin(BEGIN_WRITE, `${limits}SELECT pg_advisory_xact_lock(${lockKey(lock)})`);
  } catch (error) {
    if (isLoss(error)) {
      connection.spoil();
      throw new BeginLost('the transaction did not begin', { cause: error });
    }
    await connection.command('ROLLBACK').catch(() => connection.spoil());
    throw error;
  }
};

/** Does the work, up to the commit. Rolls back when the work or one of its statements fails. */
export const perform = async <T>(
  connection: PostgresConnection,
  session: PostgresSession,
  work: (session: SqlSession) => Promise<T>,
): Promise<T> => {
  try {
    const result = await work(session);
    session.flush();
    if (session.failure !== undefined) throw session.failure;
    session.sendSignals();
    session.end();
    return result;
  } catch (error) {
    session.end();
    await connection.command('ROLLBACK').catch(() => connection.spoil());
    throw isRetryable(session.cause) ? session.cause : error;
  }
};

/**
 * Commits while inserts may still be running. When one fails, the server rolls back and reports that in its reply to
 * the commit.
 */
export const commit = async (connection: PostgresConnection, session: PostgresSession): Promise<void> => {
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

/** Runs one statement as a transaction. It gets one of its own only where the session has no settings. */
export const onItsOwn = async <T>(connection: PostgresConnection, statement: () => Promise<T>): Promise<T> => {
  if (!connection.forgetsSettings) return statement();
  const begun = connection.begin('BEGIN');
  try {
    const [, result] = await Promise.all([begun, statement()]);
    await connection.command('COMMIT');
    return result;
  } catch (error) {
    await connection.command('ROLLBACK').catch(() => connection.spoil());
    throw error;
  }
};

/**
 * Repeats `attempt` from its beginning when the database aborted the transaction. Rejects only with errors for callers.
 */
export const withRetries = async <T>(attempt: () => Promise<T>): Promise<T> => {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      const lost = error instanceof BeginLost;
      if (attempts === MOST_ATTEMPTS || !(lost || isRetryable(error))) throw toServiceError(lost ? error.cause : error);
      // Adds a random pause, so that two colliding transactions do not collide again.
      await sleep(Math.random() * LONGEST_PAUSE_MS);
    }
  }
};

/** Returns the 64-bit number of an advisory lock, which is valid in the whole database. */
const lockKey = (lock: string): string => createHash('sha256').update(lock).digest().readBigInt64BE().toString();
