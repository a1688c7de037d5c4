import { writeSync } from 'node:fs';
import { createSqliteStore } from '../../adapters/sqlite/create-sqlite-store.ts';
import { inSmallSteps } from './load-old-store.ts';

/**
 * A process that upgrades a store: `node upgrade-process.js PATH STEPS` is killed after so many steps, unless it is
 * done before, and says last how far it was.
 */
const [path = '', steps = ''] = process.argv.slice(2);
const store = createSqliteStore({ path });
let left = Number(steps);
const onProgress = (line: string): void => {
  left -= 1;
  if (left > 0) return;
  writeSync(process.stdout.fd, line);
  process.kill(process.pid, 'SIGKILL');
};
await store.migrate(await inSmallSteps(), { onProgress });
await store.close();
