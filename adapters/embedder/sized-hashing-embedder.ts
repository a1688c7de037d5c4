import type { Embedder } from '../../ports/ports.ts';
import { chanceFloor, createHashingEmbedder } from './hashing-embedder.ts';
import { createTruncatingEmbedder } from './truncating-embedder.ts';

/** The hashing embedder with vectors of this length, which are cut where it is not their own. */
export const createSizedHashingEmbedder = (dimensions: number): Embedder => ({
  ...sized(createHashingEmbedder(), dimensions),
  recipe: { module: import.meta.url, create: 'createSizedHashingEmbedder', given: [dimensions] },
});

const sized = (whole: Embedder, dimensions: number): Embedder =>
  dimensions === whole.dimensions
    ? whole
    : createTruncatingEmbedder(whole, { dimensions, similarityFloor: chanceFloor(dimensions) });
