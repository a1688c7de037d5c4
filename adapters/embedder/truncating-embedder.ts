import type { Embedder } from '../../ports/ports.ts';
import { firstAxis, unitVector } from './unit-vector.ts';

export interface Truncation {
  /** The new number of dimensions, lower than the embedder's own. */
  readonly dimensions: number;
  /** The similarity floor of the new embedder. Shorter vectors are similar by chance more often. */
  readonly similarityFloor: number;
}

/**
 * Returns an embedder with the first dimensions of another one's vectors, scaled to unit length. Suits embedders whose
 * leading dimensions work without the others. It has an id of its own, because vectors of the two are not comparable.
 * Throws a RangeError when there is nothing to cut.
 */
export const createTruncatingEmbedder = (inner: Embedder, { dimensions, similarityFloor }: Truncation): Embedder => {
  if (!Number.isInteger(dimensions) || dimensions < 1 || dimensions >= inner.dimensions) {
    throw new RangeError(`vectors of ${inner.dimensions} dimensions cannot be cut to ${dimensions}`);
  }
  return {
    ...inner,
    id: `${inner.id}/${dimensions}`,
    dimensions,
    similarityFloor,
    recipe: undefined,
    embed: async (texts, purpose) =>
      (await inner.embed(texts, purpose)).map(
        // Falls back to a fixed direction when the remaining components are all 0.
        (vector) => unitVector(vector.subarray(0, dimensions)) ?? firstAxis(dimensions),
      ),
  };
};
