import { type AdapterProblem, ServiceError } from '../../ports/ports.ts';
import { ALLOWED_CONNECTIONS, type ConnectionPlan, isEnough, tooFew } from './connection-share.ts';
import { firstRowAt, requireSameDatabase, type StoreAddresses } from './same-database.ts';

const LOOK = `SELECT current_schema() AS schema, to_regclass('schema_migrations') IS NOT NULL AS used,
  has_schema_privilege(current_schema(), 'CREATE') AS free, ${ALLOWED_CONNECTIONS} AS connections`;

/** Inspects the database without changing anything in it. Returns no problem where a node could start. */
export const inspectDatabase = async (
  { url, directUrl }: StoreAddresses,
  plan: ConnectionPlan,
): Promise<readonly AdapterProblem[]> => {
  try {
    await requireSameDatabase({ url, directUrl });
    const look = await firstRowAt(directUrl ?? url, LOOK);
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
