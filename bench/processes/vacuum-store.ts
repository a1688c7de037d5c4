import { administer } from '../../test/kit/postgres-server.ts';
import type { ServerProcess } from './child-process.ts';

/**
 * Vacuums a PostgreSQL store, as the server does by itself within minutes of many inserts. Before that, a count reads
 * all rows. Does nothing for a file.
 */
export const vacuumStore = async ({ database }: Pick<ServerProcess, 'database'>): Promise<void> => {
  if (/^postgres(ql)?:/.test(database)) await administer(database, 'VACUUM (ANALYZE)');
};
