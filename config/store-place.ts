import type { StorePlace } from '../ports/ports.ts';
import type { NodeConfig } from './node-config.ts';

/** Returns the location of the node's store, for people and for the files beside it. */
export const storePlace = ({ store: { adapter, settings } }: Pick<NodeConfig, 'store'>): Required<StorePlace> => {
  const place = adapter.place(settings);
  return { fullLocation: place.location, ...place };
};
