import { CORE_MIGRATIONS } from '../../../adapters/sql/core-migrations.ts';
import { createSqliteStore } from '../../../adapters/sqlite/create-sqlite-store.ts';

/** A process that exits with code 3 while its writer thread is busy: `node exiting-process.js PATH`. */
const LONG = 'WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 2000000) SELECT count(*) FROM t';

const store = createSqliteStore({ path: process.argv[2] ?? '', writer: 'thread' });
await store.migrate(CORE_MIGRATIONS);
await store.write('default', async (transaction) => {
  await transaction.table('node_settings').insert({ key: 'k', value: 'v' });
  setImmediate(() => process.exit(3));
  await transaction.table('node_settings').whereRaw(`(${LONG}) > 0`);
});
