import { ServiceError } from '../../ports/ports.ts';
import { unitVector } from './unit-vector.ts';

/**
 * Returns the vectors of a reply `{"data":[{"index","embedding"}]}`, in the order of the texts and of unit length.
 * Rejects a reply with a missing or repeated index, another number of dimensions, or a component that is no finite
 * number.
 */
export const readEmbeddings = (
  body: Uint8Array,
  { count, dimensions }: { readonly count: number; readonly dimensions: number },
): Float32Array[] => {
  const entries = entriesOf(body);
  if (entries.length !== count) throw unusable(`holds ${entries.length} vectors for ${count} texts`);
  const vectors = new Map<number, Float32Array>();
  entries.forEach((entry, at) => {
    const { index = at, embedding } = (entry ?? {}) as { readonly index?: unknown; readonly embedding?: unknown };
    if (
      !Number.isInteger(index) ||
      (index as number) < 0 ||
      (index as number) >= count ||
      vectors.has(index as number)
    ) {
      throw unusable('does not say which vector belongs to which text');
    }
    vectors.set(index as number, vectorOf(embedding, dimensions));
  });
  return Array.from({ length: count }, (_, at) => vectors.get(at) as Float32Array);
};

const entriesOf = (body: Uint8Array): readonly unknown[] => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    throw unusable('is not JSON');
  }
  const data = (parsed as { readonly data?: unknown } | null)?.data;
  if (!Array.isArray(data)) throw unusable('has no list of vectors');
  return data;
};

const vectorOf = (embedding: unknown, dimensions: number): Float32Array => {
  if (!Array.isArray(embedding)) throw unusable('has something else in place of a vector');
  if (embedding.length !== dimensions) {
    throw unusable(`has vectors of ${embedding.length} dimensions, not ${dimensions}: set SVC_EMBED_DIMENSIONS`);
  }
  if (!embedding.every((component) => typeof component === 'number'))
    throw unusable('has a vector not made of numbers');
  const vector = unitVector(embedding);
  if (vector === undefined) throw unusable('has a vector without direction, or one that is not finite');
  return vector;
};

const unusable = (what: string): ServiceError =>
  new ServiceError('unavailable', `the answer of the embedding endpoint ${what}`);
