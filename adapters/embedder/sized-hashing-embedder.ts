import type { Embedder } from '../../ports/ports.ts';
import { chanceFloor, createHashingEmbedder } from './hashing-embedder.ts';
import { createTruncatingEmbedder } from './truncating-embedder.ts';

/** The hashing embedder with vectors of this length, which are cut where it is not their own. */
export const createSizedHashingEmbedder = (dimensions: number): Embedder => {
  const whole = createHashingEmbedder();
  if (dimensions === whole.dimensions) return whole;
  return createTruncatingEmbedder(whole, { dimensions, similarityFloor: chanceFloor(dimensions) });
};
