import { existsSync } from 'node:fs';
import type { StartProblem } from '../adapters/cli/command-line-deps.ts';
import type { StoreConfig } from './node-config.ts';

/**
 * What keeps the store from being used. A file that is missing is made by the first start, so that there is nothing to
 * find.
 */
export const inspectStore = async (store: StoreConfig, processes: number): Promise<readonly StartProblem[]> => {
  if (store.use === 'sqlite') {
    if (!existsSync(store.settings.path)) return [];
    const { inspectFile } = await import('../adapters/sqlite/inspect-file.ts');
    return inspectFile(store.settings.path);
  }
  const { inspectDatabase } = await import('../adapters/postgres/inspect-database.ts');
  return inspectDatabase(store.settings.url, { poolSize: store.settings.poolSize, processes });
};
