import { type FactStore, ServiceError } from '../ports/ports.ts';
import type { NodeConfig } from './node-config.ts';
import { storePlace } from './store-place.ts';

type StoreOf = Pick<NodeConfig, 'store'>;
type OpenStore = () => Promise<FactStore>;

/** Returns whether a store exists at the configured location. Creates nothing. */
export const hasStore = async (config: StoreOf, open: OpenStore): Promise<boolean> => {
  const { adapter, settings } = config.store;
  if (adapter.exists?.(settings) === false) return false;
  const opened = await open();
  try {
    return (await opened.tables()).includes('node_clock');
  } finally {
    await opened.close();
  }
};

/**
 * Rejects with `lookup` when there is no store. Only `start` and `init` create one, because in a wrong folder any other
 * command would report on an empty store.
 */
export const requireStore = async (config: StoreOf, open: OpenStore): Promise<void> => {
  if (await hasStore(config, open)) return;
  throw new ServiceError('lookup', `there is no store at ${storePlace(config).fullLocation}`, {
    hint:
      'run the command in the folder of the node, or name the store with --config, SVC_DB_PATH or SVC_DATABASE_URL; ' +
      '"fact-memory-node start" and "fact-memory-node init" make a new one',
  });
};
