import type { StartProblem } from '../adapters/cli/command-line-deps.ts';
import type { StoreConfig } from './node-config.ts';

/** What keeps the store from being used. A file is created when it is missing, so that there is nothing to find before the start. */
export const inspectStore = async (store: StoreConfig, processes: number): Promise<readonly StartProblem[]> => {
  if (store.use === 'sqlite') return [];
  const { inspectDatabase } = await import('../adapters/postgres/inspect-database.ts');
  return inspectDatabase(store.settings.url, { poolSize: store.settings.poolSize, processes });
};
