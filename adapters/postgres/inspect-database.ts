import { type AdapterProblem, ServiceError } from '../../ports/ports.ts';
import { ALLOWED_CONNECTIONS, type ConnectionPlan, isEnough, tooFew } from './connection-share.ts';
import {
  LOCK_TIMEOUT_MS,
  PAUSED_READ_MS,
  type PostgresStoreOptions,
  STATEMENT_TIMEOUT_MS,
} from './create-postgres-store.ts';
import { CONNECT_TIMEOUT_MS } from './postgres-address.ts';
import { PostgresPool } from './postgres-pool.ts';
import { PrimaryServer } from './primary-server.ts';

const LOOK = `SELECT current_schema() AS schema, to_regclass('schema_migrations') IS NOT NULL AS used,
  has_schema_privilege(current_schema(), 'CREATE') AS free, ${ALLOWED_CONNECTIONS} AS connections`;

/** Inspects the database without changing anything in it. Returns no problem where a node could start. */
export const inspectDatabase = async (
  { url, directUrl }: Pick<PostgresStoreOptions, 'url' | 'directUrl'>,
  plan: ConnectionPlan,
): Promise<readonly AdapterProblem[]> => {
  try {
    if (directUrl !== undefined) await lookAt(url, true);
    const look = await lookAt(directUrl ?? url);
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
    const connections = Number(look['connections']);
    if (directUrl === undefined && !isEnough(plan, connections)) problems.push(problemOf(tooFew(plan, connections)));
    return problems;
  } catch (error) {
    if (error instanceof ServiceError) return [problemOf(error)];
    throw error;
  }
};

const problemOf = ({ message, hint }: ServiceError): AdapterProblem => ({ message, hint });

const lookAt = async (url: string, sharesSessions = false): Promise<Record<string, unknown>> => {
  const pool = new PostgresPool({
    primary: new PrimaryServer(url),
    sharesSessions,
    size: 1,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    lockTimeoutMs: LOCK_TIMEOUT_MS,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
    idleInTransactionMs: PAUSED_READ_MS,
  });
  try {
    const { rows } = await pool.use((connection) => connection.records({ text: LOOK, name: undefined }, []));
    return rows[0] ?? {};
  } finally {
    await pool.end();
  }
};
