import type { Random } from '../kernel/crypto/random.ts';
import type { AdapterBinding } from '../kernel/kernel.ts';
import { type Clock, Embedder, Transport } from '../ports/ports.ts';
import { type AdapterEntry, EMBEDDERS, type EmbedderParts } from './adapter-catalog.ts';
import type { EmbedderConfig } from './node-config.ts';

/**
 * The embedder that the configuration names. It is made when a plugin first asks for one, and never where none does.
 */
export const bindEmbedder = async (
  { use, settings }: EmbedderConfig,
  { clock, random }: { readonly clock: Clock; readonly random: Random },
): Promise<AdapterBinding> => {
  // The settings are those of the entry that was chosen, which alone knows their shape.
  const entry: Pick<AdapterEntry<Embedder, never, EmbedderParts>, 'load'> = EMBEDDERS[use];
  const create = await entry.load();
  return {
    ref: Embedder,
    create: (get) => create(settings as never, { transport: get(Transport), clock, fraction: () => random.fraction() }),
  };
};
