import type { SqlDialect } from './sql-dialect.ts';

/**
 * Query for the database's own time, at this moment and not when the transaction began, in milliseconds since the
 * epoch.
 */
export const DATABASE_MS: Readonly<Record<SqlDialect['name'], string>> = {
  sqlite: "SELECT CAST(unixepoch('subsec') * 1000 AS INTEGER)",
  postgres: 'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint',
};
