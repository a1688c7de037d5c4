import type { StorePlace } from '../ports/ports.ts';
import type { NodeConfig } from './node-config.ts';

/** Where the store of a node is: for people, and for the files that lie beside it. */
export const storePlace = ({ store: { adapter, settings } }: Pick<NodeConfig, 'store'>): Required<StorePlace> => {
  const place = adapter.place(settings);
  return { fullLocation: place.location, ...place };
};
