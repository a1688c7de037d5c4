import type { Knex } from 'knex';
import { ServiceError } from '../../../kernel/plugin-api.ts';

/** The first version with all used types and operators. */
const LEAST: readonly [number, number] = [0, 8];

/**
 * Throws a `ServiceError` unless the database is PostgreSQL with the extension. `table` returns a builder on any table.
 */
export const requirePgvector = async (table: () => Knex.QueryBuilder): Promise<void> => {
  const versions = await installed(table);
  if (versions === undefined) {
    throw refusal('search-postgres needs a store in PostgreSQL', 'set SVC_DATABASE_URL, or switch on search instead');
  }
  const [version] = versions;
  if (version === undefined) {
    throw refusal(
      'search-postgres needs the extension pgvector in the database of the store',
      'install pgvector 0.8 or later on the server, and run CREATE EXTENSION vector as an owner of the database',
    );
  }
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > LEAST[0] || (major === LEAST[0] && minor >= LEAST[1])) return;
  throw refusal(
    `search-postgres needs pgvector ${LEAST.join('.')} or later, and the database has ${version}`,
    'install a later pgvector on the server, and run ALTER EXTENSION vector UPDATE',
  );
};

/** Returns the versions of the extension in the database; undefined for an engine without extensions. */
const installed = async (table: () => Knex.QueryBuilder): Promise<string[] | undefined> => {
  const catalog = await table()
    .fromRaw('pg_extension' as never)
    .where('extname', 'vector')
    .pluck('extversion')
    .catch(() => undefined);
  return catalog?.map(String);
};

const refusal = (message: string, hint: string): ServiceError => new ServiceError('unavailable', message, { hint });
