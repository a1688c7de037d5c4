import type { EarlierEmbedders, Embedder } from '../../ports/ports.ts';
import { createMeaningEmbedder } from './meaning-embedder.ts';
import { createSizedHashingEmbedder } from './sized-hashing-embedder.ts';

/** The lengths that the settings of the built-in embedders accept. */
const LENGTHS = [768, 256] as const;

/**
 * The embedders that an operator has named as former ones, and the built-in ones in all their lengths, which need no
 * settings.
 */
export const createEarlierEmbedders = (named: readonly Embedder[]): EarlierEmbedders => {
  const known = [
    ...named,
    ...LENGTHS.map((length) => createMeaningEmbedder(length)),
    ...LENGTHS.map(createSizedHashingEmbedder),
  ];
  return {
    find: (id) => known.find((embedder) => embedder.id === id),
    close: async () => {
      await Promise.all(named.map((embedder) => embedder.close?.()));
    },
  };
};
