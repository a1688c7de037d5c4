import type { Spread } from '../search-api.ts';
import { dot, movedTowards, unit } from '../vectors/unit-vectors.ts';
import type { Similar, VectorLayer } from '../vectors/vector-layer.ts';
import type { IndexState } from './index-state.ts';
import { bothSides } from './session-neighbours.ts';
import type { ViewFilter } from './view-filter.ts';

/** A layer of vectors, and the id of the embedder that made them. */
export interface ServedLayer {
  readonly embedder: string;
  readonly layer: Pick<VectorLayer, 'search' | 'sample' | 'similaritiesOf' | 'vectorOf'>;
}

/** The vectors that an index is searched by. A document has a vector in one layer alone. */
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

  /** Where a unit vector lies among those of its embedder that the filter accepts. */
  near(vector: Float32Array, filter: ViewFilter, embedder = this.#served[0]?.embedder): NearVector {
    const layers = this.#served.filter((served) => served.embedder === embedder).map(({ layer }) => layer);
    return new NearVector(this.#state, layers, vector, filter);
  }
}

/** What lies around one vector. Documents are those that the filter accepts, and no others. */
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

  /** The nearest ones, best first, then newest first. */
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

  spread(): Omit<Spread, 'named'> {
    return spreadOf(this.#layers.flatMap((layer) => layer.sample(this.#vector, this.#filter, MOST_COMPARED)));
  }

  similaritiesOf(documents: readonly number[]): Similar[] {
    return this.#layers.flatMap((layer) => layer.similaritiesOf(documents, this.#vector, this.#filter));
  }

  /**
   * What lies around it once it was moved half-way towards some texts. Undefined where these are fewer than two, where
   * one of them cannot be compared, and where one stands beside others in its session.
   */
  feedback(from: readonly number[], documents: readonly number[]) {
    const vectors = from.flatMap((document) => this.#vectorOf(document) ?? []);
    if (from.length < 2 || vectors.length < from.length || !from.every((one) => this.#standsAlone(one))) {
      return undefined;
    }
    const around = new NearVector(this.#state, this.#layers, movedTowards(vectors, this.#vector), this.#filter);
    const after = new Map(around.similaritiesOf(documents).map(({ document, score }) => [document, score]));
    for (const [at, document] of from.entries()) {
      const others = vectors.filter((_, other) => other !== at);
      after.set(document, dot(movedTowards(others, this.#vector), unit(vectors[at] as Float32Array)));
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

  #standsAlone(document: number): boolean {
    return bothSides(this.#state, document, 1, this.#filter, new Map()).every(({ length }) => length === 0);
  }
}

/** Facts whose similarities tell how they lie: a mean is then known to a twentieth of the deviation. */
const MOST_COMPARED = 512;

const spreadOf = (similarities: readonly number[]): Omit<Spread, 'named'> => {
  const count = similarities.length;
  if (count === 0) return { count, mean: 0, deviation: 0 };
  const mean = similarities.reduce((sum, similarity) => sum + similarity, 0) / count;
  const square = similarities.reduce((sum, similarity) => sum + (similarity - mean) ** 2, 0);
  return { count, mean, deviation: Math.sqrt(square / count) };
};
