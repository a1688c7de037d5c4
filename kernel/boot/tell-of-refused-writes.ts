import { FactStore } from '../../ports/ports.ts';
import type { Assembly } from './assembly.ts';

/**
 * Warns when the store takes no writes at the start, because nobody may ask for the health of the node. A node whose
 * disk is full, or whose store may only be read, still answers reads.
 */
export const tellOfRefusedWrites = ({ container, options }: Pick<Assembly, 'container' | 'options'>): Promise<void> =>
  container
    .get(FactStore)
    .ping()
    .catch((error: unknown) => {
      const { storeLocation: store } = options.node;
      options.log.warn('the store takes no writes at the moment; the node serves, and refuses them', { store, error });
    });
