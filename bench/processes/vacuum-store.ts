import { administer } from '../../test/kit/postgres-server.ts';
import type { ServerProcess } from './child-process.ts';

/**
 * What a PostgreSQL server does by itself within minutes of many inserts, and without which a count reads all rows.
 * Nothing for a file.
 */
export const vacuumStore = async ({ database }: Pick<ServerProcess, 'database'>): Promise<void> => {
  if (/^postgres(ql)?:/.test(database)) await administer(database, 'VACUUM (ANALYZE)');
};
