import type { EarlierEmbedders, Embedder } from '../../ports/ports.ts';
import { createSizedHashingEmbedder } from './sized-hashing-embedder.ts';

/** The lengths that the settings of the hashing embedder accept. */
const HASHING_DIMENSIONS = [768, 256];

/**
 * The embedders that an operator has named as those before, and the hashing embedder in all its lengths, which needs no
 * settings to be asked again.
 */
export const createEarlierEmbedders = (named: readonly Embedder[]): EarlierEmbedders => {
  const known = [...named, ...HASHING_DIMENSIONS.map(createSizedHashingEmbedder)];
  return { find: (id) => known.find((embedder) => embedder.id === id) };
};
