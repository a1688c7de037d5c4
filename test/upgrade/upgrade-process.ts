import { createPostgresStore } from '../../adapters/postgres/create-postgres-store.ts';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import { secondVersion } from './second-version.ts';

/**
 * A process that upgrades a store to the second version: `node upgrade-process.js sqlite|postgres PLACE MOMENTS`. It
 * kills itself at each given moment: in the middle of a step, or after its commit.
 */
const [kind = '', place = '', moments = ''] = process.argv.slice(2);
let left = Number(moments);
const pass = (): void => {
  left -= 1;
  if (left === 0) process.kill(process.pid, 'SIGKILL');
};

const store = kind === 'sqlite' ? createSqliteStore({ path: place }) : createPostgresStore({ url: place });
await store.migrate(
  secondVersion(async () => pass()),
  { onProgress: pass },
);
await store.close();
