import { existsSync } from 'node:fs';
import { type FactStore, ServiceError } from '../ports/ports.ts';
import type { StoreConfig } from './node-config.ts';
import { storePath } from './store-place.ts';

/** Whether the engine would find a node's store in the place that the configuration names. Creates nothing. */
export const hasStore = async (store: StoreConfig, open: () => FactStore): Promise<boolean> => {
  // Opening a file would create it.
  if (store.use === 'sqlite' && !existsSync(store.settings.path)) return false;
  const opened = open();
  try {
    return (await opened.tables()).includes('node_clock');
  } finally {
    await opened.close();
  }
};

/**
 * Only `start` and `init` make a store: in a wrong folder, any other command would report on an empty one. Rejects with
 * `lookup`.
 */
export const requireStore = async (store: StoreConfig, open: () => FactStore): Promise<void> => {
  if (await hasStore(store, open)) return;
  throw new ServiceError('lookup', `there is no store at ${storePath(store)}`, {
    hint:
      'run the command in the folder of the node, or name the store with --config, SVC_DB_PATH or SVC_DATABASE_URL; ' +
      '"start" and "init" make a new one',
  });
};
