import type { SqlSession } from '../../sql/sql-engine.ts';
import type { StatementRunner } from '../sqlite-knex-client.ts';

/** A write transaction for the engine and for query builders. */
export type WriteSession = SqlSession & StatementRunner;

export interface Written<T> {
  readonly result: T;
  /** Topics to signal after the commit; undefined without any. */
  readonly signals: ReadonlySet<string> | undefined;
}

/** The single writing connection of a store, in this thread or another. Callers use it one after another. */
export interface SqliteWriter {
  /**
   * Runs `work` in a transaction that holds SQLite's lock throughout, and resolves when the commit is durable. After a
   * rejection nothing was committed, except possibly with `commit_unknown`. Rejects with `unavailable` when it cannot
   * get the lock within `patienceMs`.
   */
  transact<T>(work: (session: WriteSession) => Promise<T>, patienceMs: number): Promise<Written<T>>;
  /** Calls `changed` soon after another connection has committed. Returns a function that ends this. */
  watch(changed: () => void): () => void;
  /** See `SqliteConnection.restartLog`. Callers hold the turn to write. */
  restartLog(): Promise<boolean>;
  /** See `SqliteConnection.checkpointFrom`. */
  checkpointFrom(pages: number): Promise<void>;
  /** Discards prepared statements after a change of the tables. */
  forgetStatements(): void;
  /** Moves the log into the file, then closes. */
  close(): Promise<void>;
}

/** The smallest change that counts as a commit: it rewrites the otherwise unused version number. */
export const SMALLEST_WRITE = 'PRAGMA user_version = 0';

/** The first pause between attempts to get the lock from another process, in milliseconds. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;

/**
 * Returns the pause after this number of failed attempts, with jitter, because processes in step would keep colliding.
 */
export const pauseMs = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS) * (0.5 + Math.random());
