import { type AdapterProblem, ServiceError } from '../../ports/ports.ts';
import { LOCK_TIMEOUT_MS, PAUSED_READ_MS, STATEMENT_TIMEOUT_MS } from './create-postgres-store.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { PrimaryServer } from './primary-server.ts';

/** The connection outside the pool that listens for signals of other processes. */
const LISTENING_CONNECTIONS = 1;

const LOOK = `SELECT current_schema() AS schema, to_regclass('schema_migrations') IS NOT NULL AS used,
  has_schema_privilege(current_schema(), 'CREATE') AS free,
  current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS connections`;

/** The connections that a node may open: a number per process, and the number of processes. */
export interface ConnectionPlan {
  readonly poolSize: number;
  readonly processes: number;
}

/** Inspects the database without changing anything in it. Returns no problem where a node could start. */
export const inspectDatabase = async (
  url: string,
  { poolSize, processes }: ConnectionPlan,
): Promise<readonly AdapterProblem[]> => {
  try {
    const look = await lookAt(url);
    const problems: AdapterProblem[] = [];
    if (look['schema'] === null) {
      problems.push({
        message: 'the database has no schema for the tables',
        hint: 'CREATE SCHEMA public, or name an existing one: ALTER ROLE … SET search_path = …',
      });
    } else if (look['used'] === 0 && look['free'] === 0) {
      problems.push({
        message: 'the user of the database may not create tables',
        hint: `GRANT CREATE, USAGE ON SCHEMA ${look['schema']} to the user of SVC_DATABASE_URL`,
      });
    }
    if (Number(look['connections']) < processes * (poolSize + LISTENING_CONNECTIONS)) {
      problems.push({
        message: `the database allows ${look['connections']} connections, fewer than the node may open`,
        hint: 'lower SVC_DATABASE_POOL_SIZE or SVC_WORKERS, or raise max_connections on the server',
      });
    }
    return problems;
  } catch (error) {
    if (error instanceof ServiceError) return [{ message: error.message, hint: error.hint }];
    throw error;
  }
};

const lookAt = async (url: string): Promise<Record<string, unknown>> => {
  const pool = new PostgresPool({
    primary: new PrimaryServer(url),
    size: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionMs: PAUSED_READ_MS,
  });
  try {
    const connection = await pool.lend();
    try {
      const { rows } = await connection.records({ text: LOOK, name: undefined }, []);
      return rows[0] ?? {};
    } finally {
      pool.release(connection);
    }
  } finally {
    await pool.end();
  }
};
