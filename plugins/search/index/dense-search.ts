import type { Spread } from '../search-api.ts';
import { dot, movedTowards } from '../vectors/unit-vectors.ts';
import type { Similar, VectorLayer } from '../vectors/vector-layer.ts';
import type { IndexState } from './index-state.ts';
import { SessionSides } from './session-sides.ts';
import type { ViewFilter } from './view-filter.ts';

/** A layer of vectors, and the id of the embedder that made them. */
export interface ServedLayer {
  readonly embedder: string;
  readonly layer: Pick<VectorLayer, 'search' | 'sample' | 'similaritiesOf' | 'vectorOf'>;
}

/** The vector layers that an index searches. A document has a vector in only one layer. */
export class DenseSearch {
  readonly #state: IndexState;
  #served: readonly ServedLayer[] = [];

  constructor(state: IndexState) {
    this.#state = state;
  }

  serve(layers: readonly ServedLayer[]): void {
    this.#served = layers;
  }

  get embedders(): string[] {
    return [...new Set(this.#served.map(({ embedder }) => embedder))];
  }

  /** Compares a unit vector with the vectors of its embedder that the filter accepts. */
  near(vector: Float32Array, filter: ViewFilter, embedder = this.#served[0]?.embedder): NearVector {
    const layers = this.#served.filter((served) => served.embedder === embedder).map(({ layer }) => layer);
    return new NearVector(this.#state, layers, vector, filter);
  }
}

/** The neighbourhood of one vector, among the documents that the filter accepts. */
export class NearVector {
  readonly #state: IndexState;
  readonly #layers: readonly ServedLayer['layer'][];
  readonly #vector: Float32Array;
  readonly #filter: ViewFilter;

  constructor(state: IndexState, layers: readonly ServedLayer['layer'][], vector: Float32Array, filter: ViewFilter) {
    this.#state = state;
    this.#layers = layers;
    this.#vector = vector;
    this.#filter = filter;
  }

  /** Returns the nearest documents, best first, then newest first. */
  hits(floor: number, limit: number): readonly Similar[] {
    if (limit < 1) return [];
    const search = (layer: ServedLayer['layer']) => layer.search(this.#vector, floor, this.#filter, limit);
    const [first = [], ...others] = this.#layers.map(search);
    if (others.length === 0) return first;
    const { documents } = this.#state;
    const found = [...first, ...others.flat()];
    found.sort((a, b) => b.score - a.score || (documents.isOlder(a.document, b.document) ? 1 : -1));
    return found.slice(0, limit);
  }

  spread(): Spread {
    const samples = this.#layers.map((layer) => layer.sample(this.#vector, this.#filter, MOST_COMPARED));
    return spreadOf(samples.length === 1 ? (samples[0] as Float64Array) : joined(samples));
  }

  similaritiesOf(documents: readonly number[]): Similar[] {
    return this.#layers.flatMap((layer) => layer.similaritiesOf(documents, this.#vector, this.#filter));
  }

  /**
   * Returns the neighbourhood after the vector has moved half-way towards some texts. Returns undefined for fewer than
   * two texts, if one of them cannot be compared, or if one has neighbours in its session.
   */
  feedback(from: readonly number[], documents: readonly number[]) {
    const vectors = from.flatMap((document) => this.#vectorOf(document) ?? []);
    if (from.length < 2 || vectors.length < from.length || this.#isBesideOthers(from)) return undefined;
    const around = new NearVector(this.#state, this.#layers, movedTowards(vectors, this.#vector), this.#filter);
    const after = new Map(around.similaritiesOf(documents).map(({ document, score }) => [document, score]));
    for (const [at, document] of from.entries()) {
      const others = vectors.filter((_, other) => other !== at);
      after.set(document, dot(movedTowards(others, this.#vector), vectors[at] as Float32Array));
    }
    const similar = this.similaritiesOf(documents).map(({ document, score: before }) => ({
      document,
      before,
      after: after.get(document) ?? before,
    }));
    return { similar, spread: around.spread() };
  }

  #vectorOf(document: number): Float32Array | undefined {
    if (!this.#filter.accepts(document)) return undefined;
    for (const layer of this.#layers) {
      const vector = layer.vectorOf(document);
      if (vector !== undefined) return vector;
    }
    return undefined;
  }

  #isBesideOthers(documents: readonly number[]): boolean {
    const sides = new SessionSides(this.#state, this.#filter, 1);
    return documents.some((document) => sides.of(document).before.length + sides.of(document).after.length > 0);
  }
}

/** The maximum sample size. Its mean is then accurate to a twentieth of the standard deviation. */
export const MOST_COMPARED = 512;

const joined = (samples: readonly Float64Array[]): Float64Array => {
  const all = new Float64Array(samples.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const sample of samples) {
    all.set(sample, at);
    at += sample.length;
  }
  return all;
};

/**
 * Adds the similarities in ascending order. Samples have none of their own, and sums of doubles in different orders
 * differ in the last digits, which every score would show.
 */
export const spreadOf = (similarities: Float64Array): Spread => {
  const count = similarities.length;
  if (count === 0) return { count, mean: 0, deviation: 0 };
  const ascending = similarities.slice().sort();
  let sum = 0;
  for (const similarity of ascending) sum += similarity;
  const mean = sum / count;
  let square = 0;
  for (const similarity of ascending) square += (similarity - mean) ** 2;
  return { count, mean, deviation: Math.sqrt(square / count) };
};
