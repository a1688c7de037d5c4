import { administer } from '../../test/kit/postgres-server.ts';
import type { ServerProcess } from './child-process.ts';

/**
 * The work that a PostgreSQL server does by itself within minutes of many inserts; before it, a count reads all rows.
 * Does nothing for a file.
 */
export const vacuumStore = async ({ database }: Pick<ServerProcess, 'database'>): Promise<void> => {
  if (/^postgres(ql)?:/.test(database)) await administer(database, 'VACUUM (ANALYZE)');
};
