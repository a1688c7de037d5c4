import type { SqlSession } from '../../sql/sql-engine.ts';
import type { StatementRunner } from '../sqlite-knex-client.ts';

/** A write transaction, for the engine and for query builders alike. */
export type WriteSession = SqlSession & StatementRunner;

export interface Written<T> {
  readonly result: T;
  /** Topics that were raised with the commit, undefined for none. */
  readonly signals: ReadonlySet<string> | undefined;
}

/** The one connection of a store that writes, in this thread or another. Its callers take turns. */
export interface SqliteWriter {
  /**
   * Runs `work` in a transaction that has SQLite's lock from before its first statement until after its commit, and
   * resolves when that is durable. When it rejects nothing was committed, unless with `commit_unknown`. The lock is
   * asked for until `patienceMs` have passed; then it rejects with `unavailable`.
   */
  transact<T>(work: (session: WriteSession) => Promise<T>, patienceMs: number): Promise<Written<T>>;
  /** Calls `changed` soon after another connection has committed. Returns a function that ends this. */
  watch(changed: () => void): () => void;
  /** Drops prepared statements after a change of the tables. */
  forgetStatements(): void;
  /** Empties the log into the file, and closes. */
  close(): Promise<void>;
}

/** Rewrites the version number, which has no other use. */
export const SMALLEST_WRITE = 'PRAGMA user_version = 0';

/** Milliseconds between attempts to get the lock from another process. */
const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 8;

/** The wait after so many failed attempts at the lock. Processes that ask in step would keep missing each other. */
export const pauseMs = (attempts: number): number =>
  Math.min(FIRST_PAUSE_MS * 2 ** attempts, LONGEST_PAUSE_MS) * (0.5 + Math.random());
