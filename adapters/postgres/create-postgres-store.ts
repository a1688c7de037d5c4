import type { FactStore } from '../../ports/ports.ts';
import { createSqlFactStore, FACT_CACHE_MIB } from '../sql/sql-fact-store.ts';
import { CONNECT_TIMEOUT_MS, checkedUrl } from './postgres-address.ts';
import { PostgresEngine } from './postgres-engine.ts';
import { PostgresPool } from './postgres-pool.ts';

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`, with the parameters that libpq knows. */
  readonly url: string;
  /** Connections at most, at least 4; one more while somebody listens for signals. Default 16. */
  readonly poolSize?: number;
  /** How long to wait for a connection before failing with `unavailable`. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** How long a write waits for the lock of its tenant before it fails with `unavailable`. Default 5,000. */
  readonly lockTimeoutMs?: number;
  /** How long one statement may take. Default 15,000. */
  readonly statementTimeoutMs?: number;
  /** Notices at once when a write is started inside a write. Default true. */
  readonly watchNesting?: boolean;
  /** Memory of the cache of facts, in MiB; 0 switches it off. Default 64. */
  readonly factCacheMiB?: number;
}

const POOL_SIZE = 16;
export const LOCK_TIMEOUT_MS = 5_000;
export const STATEMENT_TIMEOUT_MS = 15_000;

/** The database ends a write that pauses for so long, and frees its lock. */
const PAUSED_WRITE_MS = 5_000;
/** The database ends a read that pauses for so long: it holds no lock, but keeps old rows from being cleared away. */
export const PAUSED_READ_MS = 60_000;

/** Writes of one tenant take turns, so that few connections serve many tenants. */
const WRITER_SHARE = 4;

/**
 * The store on a PostgreSQL server of version 14 or later. Any number of stores, in any number of processes, may share
 * a database. Nothing is connected before the first call; a server that goes away and comes back costs the calls in
 * between `unavailable`.
 */
export const createPostgresStore = (options: PostgresStoreOptions): FactStore => {
  const {
    poolSize = POOL_SIZE,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  } = options;
  const common = { url: checkedUrl(options.url), connectTimeoutMs, lockTimeoutMs, statementTimeoutMs };
  const writers = Math.max(1, Math.floor(poolSize / WRITER_SHARE));
  return createSqlFactStore(
    new PostgresEngine(
      {
        writers: new PostgresPool({ ...common, size: writers, idleInTransactionMs: PAUSED_WRITE_MS }),
        readers: new PostgresPool({ ...common, size: poolSize - writers, idleInTransactionMs: PAUSED_READ_MS }),
      },
      common,
    ),
    { watchNesting: options.watchNesting ?? true, cacheMiB: options.factCacheMiB ?? FACT_CACHE_MIB },
  );
};
