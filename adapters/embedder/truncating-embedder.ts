import type { Embedder } from '../../ports/ports.ts';
import { firstAxis, unitVector } from './unit-vector.ts';

export interface Truncation {
  /** Fewer than those of the embedder. */
  readonly dimensions: number;
  /** Shorter vectors are more often similar by chance, so the floor is another one. */
  readonly similarityFloor: number;
}

/**
 * The first dimensions of another embedder's vectors, scaled to unit length again; for embedders whose leading
 * dimensions are made to stand alone. Vectors of the two are not comparable, so this is an embedder with an id of its
 * own. Throws a RangeError when there is nothing to cut.
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
        // The cut may leave nothing of a text, which still needs a direction.
        (vector) => unitVector(vector.subarray(0, dimensions)) ?? firstAxis(dimensions),
      ),
  };
};
