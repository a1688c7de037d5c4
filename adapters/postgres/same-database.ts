import { ServiceError } from '../../ports/ports.ts';
import { blameAddress } from './blame-address.ts';
import { LOCK_TIMEOUT_MS, PAUSED_READ_MS, STATEMENT_TIMEOUT_MS } from './create-postgres-store.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { PostgresPool, type PostgresPoolOptions } from './postgres-pool.ts';
import { PrimaryServer } from './primary-server.ts';

/** The addresses of a store: for requests, and for sessions of the server itself. */
export interface StoreAddresses {
  readonly url: string;
  readonly directUrl?: string | undefined;
}

const IDENTITY = `SELECT concat_ws(' ',
  CASE WHEN has_function_privilege('pg_control_system()', 'execute')
    THEN (SELECT system_identifier FROM pg_control_system()) END,
  (SELECT oid FROM pg_database WHERE datname = current_database()), current_schema()) AS identity`;

/**
 * Throws `conflict` for the addresses of two databases: a restore would change a database that requests do not read,
 * and signals would reach no listener. Throws `unavailable` if one of them cannot be reached.
 */
export const requireSameDatabase = async ({ url, directUrl }: StoreAddresses): Promise<void> => {
  if (directUrl === undefined) return;
  const [ofRequests, ofSessions] = [await identityAt(url, true), await identityAt(directUrl, false).catch(blameDirect)];
  if (ofRequests === ofSessions) return;
  throw new ServiceError('conflict', 'SVC_DATABASE_DIRECT_URL leads to another database than SVC_DATABASE_URL', {
    hint: 'name the server, the database and the schema that the pooler of SVC_DATABASE_URL leads to',
  });
};

const blameDirect = (error: unknown): never => {
  throw error instanceof ServiceError ? blameAddress(error, 'SVC_DATABASE_DIRECT_URL') : error;
};

const identityAt = async (url: string, sharesSessions: boolean): Promise<unknown> => {
  const row = await firstRowAt(url, IDENTITY, { sharesSessions });
  return row['identity'];
};

/** Returns the first row of a statement, over a connection of its own. */
export const firstRowAt = async (
  url: string,
  text: string,
  {
    sharesSessions = false,
    isReplica = false,
  }: Partial<Pick<PostgresPoolOptions, 'sharesSessions' | 'isReplica'>> = {},
): Promise<Readonly<Record<string, unknown>>> => {
  const pool = new PostgresPool({
    primary: new PrimaryServer(url),
    sharesSessions,
    isReplica,
    size: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionMs: PAUSED_READ_MS,
  });
  try {
    const { rows } = await pool.use((connection) => connection.records({ text, name: undefined }, []));
    return rows[0] ?? {};
  } finally {
    await pool.end();
  }
};
