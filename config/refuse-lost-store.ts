import { existsSync, readdirSync, statSync } from 'node:fs';
import type { SettingReport } from '../kernel/plugins/plugin-config.ts';
import { ServiceError } from '../ports/ports.ts';
import type { NodeConfig } from './node-config.ts';
import { storePlace } from './store-place.ts';

/**
 * Throws `conflict` when the file of the store is missing or empty, although plugins have left files in its folder. A
 * new store would look like an empty memory. A configured node id means that a new store is intended. Databases are not
 * checked, because a host may get its files before the database has tables.
 */
export const refuseLostStore = (
  config: Pick<NodeConfig, 'store' | 'node'>,
  settings: readonly SettingReport[],
): void => {
  const { adapter, settings: placed } = config.store;
  if (config.node.id || adapter.exists?.(placed) !== false) return;
  const left = settings.flatMap(({ origin, value }) =>
    // Only paths that follow from the data folder belong to this store.
    origin === 'derived' && typeof value === 'string' && hasContent(value) ? [value] : [],
  );
  if (left.length === 0) return;
  const { fullLocation } = storePlace(config);
  const others = left.join(' and ');
  throw new ServiceError('conflict', `the store ${fullLocation} is gone or empty, but its folder has ${others}`, {
    hint:
      'put the store back with its -wal file, restore a backup with "fact-memory-node restore", or, if the store is ' +
      'in PostgreSQL, name it in SVC_DATABASE_URL as before; ' +
      'to begin with an empty memory instead, move these files away first; another store needs its own data folder',
  });
};

const hasContent = (path: string): boolean =>
  existsSync(path) && (!statSync(path).isDirectory() || readdirSync(path).length > 0);
