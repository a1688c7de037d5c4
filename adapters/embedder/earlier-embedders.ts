import type { EarlierEmbedders, Embedder } from '../../ports/ports.ts';
import { createMeaningEmbedder } from './meaning-embedder.ts';
import { createSizedHashingEmbedder } from './sized-hashing-embedder.ts';

/** The vector lengths that the built-in embedders support. */
const LENGTHS = [768, 256] as const;

/** Provides the former embedders of the configuration, and the built-in ones in all lengths, which need no settings. */
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
