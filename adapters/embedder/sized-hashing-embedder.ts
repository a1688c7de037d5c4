import type { Embedder } from '../../ports/ports.ts';
import { chanceFloor, createHashingEmbedder } from './hashing-embedder.ts';
import { createTruncatingEmbedder } from './truncating-embedder.ts';

/** Returns the hashing embedder, with vectors cut to this length if necessary. */
export const createSizedHashingEmbedder = (dimensions: number): Embedder => ({
  ...sized(createHashingEmbedder(), dimensions),
  recipe: { module: import.meta.url, create: 'createSizedHashingEmbedder', given: [dimensions] },
});

const sized = (whole: Embedder, dimensions: number): Embedder =>
  dimensions === whole.dimensions
    ? whole
    : createTruncatingEmbedder(whole, { dimensions, similarityFloor: chanceFloor(dimensions) });
