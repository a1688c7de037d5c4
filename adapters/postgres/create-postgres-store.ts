import type { Client } from 'pg';
import { type ContentSeal, type FactStore, ServiceError } from '../../ports/ports.ts';
import { createSqlFactStore, DEFAULT_CACHE_BYTES } from '../sql/sql-fact-store.ts';
import { blameAddress } from './blame-address.ts';
import { type ConnectionShare, shareOf, shareWithin } from './connection-share.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { PostgresEngine } from './postgres-engine.ts';
import { PostgresPool, type PostgresPoolOptions } from './postgres-pool.ts';
import { PrimaryServer } from './primary-server.ts';
import { REPLICA_SETTING } from './replica-fault.ts';
import { shownAddress } from './shown-address.ts';

export interface PostgresStoreOptions {
  /**
   * The URL `postgres://user:password@host:port/database`, with the parameters of libpq. Commas separate
   * several hosts.
   */
  readonly url: string;
  /**
   * The address of the server itself, where `url` names a pooler that gives each transaction another session. Signals,
   * backups and checks use it, because they need a session of their own.
   */
  readonly directUrl?: string | undefined;
  /**
   * The addresses of replicas. A replica serves a read if it has everything that the primary had stored when the read
   * began.
   */
  readonly replicaUrls?: readonly string[];
  /** The maximum number of connections, at least 4; one more is open while there are signal listeners. Default 16. */
  readonly poolSize?: number;
  /** The number of processes that share the connections that the server allows. Each pool gets its share. Default 1. */
  readonly processes?: number;
  /** Milliseconds that a call waits for a connection before it fails with `unavailable`. Default 5,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds that a write waits for the lock of its tenant before it fails with `unavailable`. Default 5,000. */
  readonly lockTimeoutMs?: number;
  /** The time limit of one statement, in milliseconds. Default 15,000. */
  readonly statementTimeoutMs?: number;
  /** Detects at once that a write is started inside a write. Default true. */
  readonly watchNesting?: boolean;
  /** The memory of the fact cache in bytes; 0 disables the cache. Default 64 MiB. */
  readonly cacheBytes?: number;
  /** See `SqlFactStoreOptions`. Default: the store is clear. */
  readonly seal?: ContentSeal | undefined;
  /** Receives a warning when a replica stops serving reads, or resumes. Default: drops the warnings. */
  readonly report?: (message: string) => void;
  /** The driver's class of connections, so that tests can keep sessions open between stores. */
  readonly driver?: typeof Client;
}

const POOL_SIZE = 16;
export const LOCK_TIMEOUT_MS = 5_000;
export const STATEMENT_TIMEOUT_MS = 15_000;

/** The pause after which the database ends an idle write transaction and releases its lock. */
const PAUSED_WRITE_MS = 5_000;
/**
 * The pause after which the database ends an idle read transaction. It holds no lock, but prevents the removal of old
 * row versions.
 */
export const PAUSED_READ_MS = 60_000;

/**
 * Creates the store on a PostgreSQL server of version 14 or later. Any number of stores, in any number of processes,
 * may share a database. The first call connects. While the server is down, calls fail with `unavailable`.
 */
export const createPostgresStore = (options: PostgresStoreOptions): FactStore => {
  const {
    directUrl,
    replicaUrls = [],
    poolSize = POOL_SIZE,
    processes = 1,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  } = options;
  const sharesSessions = directUrl !== undefined;
  const names = replicaUrls.map(shownAddress);
  const primary = new PrimaryServer(options.url);
  const common = { primary, connectTimeoutMs, lockTimeoutMs, statementTimeoutMs };
  const poolOf = (
    kind: keyof ConnectionShare,
    idleInTransactionMs: number,
    more: Partial<PostgresPoolOptions> = {},
  ): PostgresPool =>
    new PostgresPool({
      ...common,
      idleInTransactionMs,
      sharesSessions,
      driver: options.driver,
      size: shareOf(poolSize)[kind],
      sizeWithin: (allowed) => shareWithin({ poolSize, processes }, allowed)[kind],
      ...more,
    });
  return createSqlFactStore(
    new PostgresEngine(
      {
        writers: poolOf('writers', PAUSED_WRITE_MS),
        readers: poolOf('readers', PAUSED_READ_MS),
        replicas: replicaUrls.map((url, at) => ({
          name: names.indexOf(names[at] as string) === at ? (names[at] as string) : `${names[at]} (${at + 1})`,
          pool: poolOf('readers', PAUSED_READ_MS, {
            primary: replicaAt(url),
            sharesSessions: false,
            isReplica: true,
            driver: undefined,
          }),
        })),
      },
      {
        url: directUrl ?? options.url,
        primary: directUrl === undefined ? primary : new PrimaryServer(directUrl),
        connectTimeoutMs,
      },
      { areNamed: !sharesSessions, report: options.report ?? (() => {}) },
    ),
    {
      watchNesting: options.watchNesting ?? true,
      cacheBytes: options.cacheBytes ?? DEFAULT_CACHE_BYTES,
      seal: options.seal,
    },
  );
};

/** Throws `unavailable` for an invalid address. */
const replicaAt = (url: string): PrimaryServer => {
  try {
    return new PrimaryServer(url);
  } catch (error) {
    throw error instanceof ServiceError ? blameAddress(error, REPLICA_SETTING) : error;
  }
};
