import type { Expiry, FactName } from '../../../kernel/plugin-api.ts';
import { compareHlc } from '../../../ports/fact.ts';
import type { Hlc } from '../../../ports/ports.ts';
import type { Around, Asked, Hit, Looked, SearchIndex, SearchView, Spread, Together } from '../search-api.ts';
import type { ByteSource } from '../snapshot/byte-source.ts';
import { type ReadSnapshot, readSnapshot } from '../snapshot/read-snapshot.ts';
import { beginSegment, type SnapshotOptions, type WrittenSegment } from '../snapshot/write-snapshot.ts';
import type { CodeTable, VectorCodes } from '../vectors/vector-codes.ts';
import { type Similar, VectorLayer } from '../vectors/vector-layer.ts';
import { searchWords } from '../words/search-words.ts';
import { CONFIDENCE, PART } from './document-table.ts';
import { type IndexedCover, type IndexedFact, IndexState, isFindable } from './index-state.ts';
import { sessionNeighbours } from './session-neighbours.ts';
import type { HashSeed } from './text-hash.ts';
import { type IsOlder, TopDocuments } from './top-documents.ts';
import { ViewFilter } from './view-filter.ts';
import { wordsTogether } from './words-together.ts';

/**
 * What a search index learns from. Facts come in the order of the feed; everything else in any order, before or after
 * what it speaks of.
 */
export interface IndexWriter {
  /**
   * Takes a fact in, and is the one way to; a fact that is known or can never be found changes nothing. Found by the
   * very next search. Throws a RangeError for a fact whose feed stamp is not after that of the last one taken in.
   */
  add(fact: IndexedFact): void;
  /**
   * Withholds a fact from every search, as if it had never been taken in, or gives it back. Idempotent; a fact that is
   * not in the index changes nothing.
   */
  withhold(fact: IndexedFact, isWithheld: boolean): void;
  /** Ends what is older of a triple, for those who can see the cover. Idempotent. */
  cover(cover: IndexedCover): void;
  /** Sets when a fact expires; the newest stamp counts. Idempotent. */
  expire(expiry: Expiry): void;
}

/** A layer of vectors, and the id of the embedder that made them. */
export interface ServedLayer {
  readonly embedder: string;
  readonly layer: Pick<VectorLayer, 'search' | 'sample' | 'similaritiesOf'>;
}

/** Facts whose similarities tell how they lie: a mean is then known to a twentieth of the deviation. */
const MOST_COMPARED = 512;

const spreadOf = (similarities: readonly number[], named: readonly number[]): Spread => {
  const count = similarities.length;
  if (count === 0) return { count, mean: 0, deviation: 0, named };
  const mean = similarities.reduce((sum, similarity) => sum + similarity, 0) / count;
  const square = similarities.reduce((sum, similarity) => sum + (similarity - mean) ** 2, 0);
  return { count, mean, deviation: Math.sqrt(square / count), named };
};

/** A few milliseconds of work. */
const LINKED_AT_ONCE = 4_096;

const BEFORE_ALL: Hlc = { wallMs: 0, counter: -1 };

export interface RestoredIndex extends Omit<ReadSnapshot, 'state'> {
  readonly index: MemoryIndex;
}

/** A search index in memory. Its feeder decides what it applies of the feed. */
export class MemoryIndex implements Omit<SearchIndex, 'ready' | 'isMakingVectors'>, IndexWriter {
  readonly #state: IndexState;
  #vectors: readonly ServedLayer[] = [];
  #newest: Hlc;
  readonly #isOlder: IsOlder = (document, than) => this.#state.documents.isOlder(document, than);

  private constructor(state: IndexState, newest: Hlc) {
    this.#state = state;
    this.#newest = newest;
  }

  /** An empty index. The seed is to be unpredictable: texts of anybody are hashed under it. */
  static create(seed: HashSeed): MemoryIndex {
    return new MemoryIndex(new IndexState(seed), BEFORE_ALL);
  }

  /**
   * The index that a snapshot holds, and the stamp up to which the feed is in it. Throws `UnusableSnapshot` for one
   * that is damaged, cut short or made by another version. Vectors are not in it.
   */
  static async restore(source: ByteSource): Promise<RestoredIndex> {
    const { state, applied, place, frames } = await readSnapshot(source);
    return { index: new MemoryIndex(state, applied), applied, place, frames };
  }

  /**
   * The index as it is now, or what it has learned since some place, as chunks of bytes of about a megabyte. It may go
   * on learning between chunks; `applied` is the stamp up to which the feed is in it now. See `beginSegment`.
   */
  snapshot(applied: Hlc, options?: SnapshotOptions): WrittenSegment {
    return beginSegment(this.#state, applied, options);
  }

  /**
   * Does some of what a restored index puts off, which whoever needs it first does otherwise; true while there is more.
   */
  settle(): boolean {
    return this.#state.chains.linkSome(LINKED_AT_ONCE);
  }

  /** Facts that can be found by somebody, or could before they ended. */
  get size(): number {
    return this.#state.documents.count;
  }

  /** A layer of vectors, empty or of tables that were read, to be filled and then served. */
  createVectors<T extends CodeTable>(codes: VectorCodes<T>, tables?: readonly (T | undefined)[]): VectorLayer<T> {
    return new VectorLayer(this.#state, codes, tables);
  }

  /**
   * Which layers of this index `dense` searches from now on, those of the embedder that is asked for by default first.
   * Before the first call it finds nothing. A fact has a vector in one of them alone.
   */
  serveVectors(...layers: readonly ServedLayer[]): void {
    this.#vectors = layers;
  }

  add(fact: IndexedFact): void {
    if (!isFindable(fact) || this.#state.documentOf(fact) >= 0) return;
    if (compareHlc(fact.feed, this.#newest) <= 0) {
      throw new RangeError('facts are taken into the search index in the order of the feed');
    }
    this.#newest = fact.feed;
    this.#state.add(fact);
  }

  withhold(fact: IndexedFact, isWithheld: boolean): void {
    this.#state.withhold(fact, isWithheld);
  }

  /** Whether a fact is in the index and may be found. */
  shows(fact: FactName): boolean {
    const document = this.#state.documentOf(fact);
    return document >= 0 && !this.#state.withheld.has(document);
  }

  cover(cover: IndexedCover): void {
    this.#state.cover(cover);
  }

  expire(expiry: Expiry): void {
    this.#state.expire(expiry);
  }

  async lexical(query: string, view: SearchView, limit: number): Promise<Hit[]> {
    return this.#hits(searchWords(this.#state, query, new ViewFilter(this.#state, view), limit));
  }

  async look({ query, vectors }: Asked, view: SearchView, limit: number): Promise<Looked> {
    const filter = new ViewFilter(this.#state, view);
    const words = query === undefined ? [] : searchWords(this.#state, query, filter, limit);
    const documents = words.map(({ document }) => document);
    const dense = vectors.map(({ vector, floor, embedder }) => {
      const layers = this.#layersOf(embedder);
      const { named: _, ...spread } = spreadOf(this.#sample(layers, vector, filter), []);
      const similar = layers.flatMap((layer) => layer.similaritiesOf(documents, vector, filter));
      const hits = this.#nearest(layers, vector, floor, filter, limit);
      return { hits: this.#hits(hits), spread, similarities: this.#hits(similar) };
    });
    return { lexical: this.#hits(words), dense };
  }

  async embedders(): Promise<string[]> {
    return [...new Set(this.#vectors.map(({ embedder }) => embedder))];
  }

  async dense(
    vector: Float32Array,
    floor: number,
    view: SearchView,
    limit: number,
    embedder = this.#vectors[0]?.embedder,
  ): Promise<Hit[]> {
    const filter = new ViewFilter(this.#state, view);
    return this.#hits(this.#nearest(this.#layersOf(embedder), vector, floor, filter, limit));
  }

  async spread(
    vector: Float32Array,
    ids: readonly string[],
    view: SearchView,
    embedder = this.#vectors[0]?.embedder,
  ): Promise<Spread> {
    const layers = this.#layersOf(embedder);
    const filter = new ViewFilter(this.#state, view);
    const { tenantId } = view;
    const documents = ids.map((id) => this.#state.documentOf({ tenantId, id })).filter((document) => document >= 0);
    const similar = layers.flatMap((layer) => layer.similaritiesOf(documents, vector, filter));
    return spreadOf(
      this.#sample(layers, vector, filter),
      similar.map(({ score }) => score),
    );
  }

  async besides(seeds: readonly Hit[], view: SearchView, limit: number): Promise<Hit[]> {
    return this.#besides(seeds, view.tenantId, new ViewFilter(this.#state, view), limit);
  }

  async around(query: string, seeds: readonly Hit[], view: SearchView, limit: number): Promise<Around> {
    const filter = new ViewFilter(this.#state, view);
    const hits = this.#besides(seeds, view.tenantId, filter, limit);
    const ids = [...new Set([...seeds, ...hits].map(({ id }) => id))];
    return { hits, together: wordsTogether(this.#state, query, ids, view.tenantId, filter) };
  }

  async together(query: string, ids: readonly string[], view: SearchView): Promise<Together[]> {
    return wordsTogether(this.#state, query, ids, view.tenantId, new ViewFilter(this.#state, view));
  }

  async newest(view: SearchView, limit: number): Promise<Hit[]> {
    if (limit < 1) return [];
    const filter = new ViewFilter(this.#state, view);
    const { documents, chains } = this.#state;
    const top = new TopDocuments(limit, documents.count, this.#isOlder);
    const isOrdered = filter.entity === undefined || view.asOf === undefined;
    for (const document of this.#newestFirst(filter)) {
      // Facts of other nodes come late: behind older ones there may be newer ones.
      if (isOrdered && top.last !== undefined) {
        const newest = chains.newestUpTo(document, filter.entity !== undefined);
        if (documents.isOlder(newest, top.last)) break;
      }
      if (filter.accepts(document)) top.offer(document, 0);
    }
    return this.#hits(top.take().map(({ document }) => ({ document, score: documents.double(document, CONFIDENCE) })));
  }

  #layersOf(embedder: string | undefined): readonly ServedLayer['layer'][] {
    return this.#vectors.filter((served) => served.embedder === embedder).map(({ layer }) => layer);
  }

  #nearest(
    layers: readonly ServedLayer['layer'][],
    vector: Float32Array,
    floor: number,
    filter: ViewFilter,
    limit: number,
  ): readonly Similar[] {
    if (limit < 1) return [];
    const [first = [], ...others] = layers.map((layer) => layer.search(vector, floor, filter, limit));
    if (others.length === 0) return first;
    const found = [...first, ...others.flat()];
    found.sort((a, b) => b.score - a.score || (this.#isOlder(a.document, b.document) ? 1 : -1));
    return found.slice(0, limit);
  }

  #sample(layers: readonly ServedLayer['layer'][], vector: Float32Array, filter: ViewFilter): number[] {
    return layers.flatMap((layer) => layer.sample(vector, filter, MOST_COMPARED));
  }

  #besides(seeds: readonly Hit[], tenantId: string, filter: ViewFilter, limit: number): Hit[] {
    if (limit < 1) return [];
    const scores = sessionNeighbours(this.#state, tenantId, seeds, filter);
    const top = new TopDocuments(limit, scores.size, this.#isOlder);
    for (const [document, score] of scores) top.offer(document, score);
    return this.#hits(top.take());
  }

  *#newestFirst(filter: ViewFilter): Generator<number> {
    const { documents } = this.#state;
    if (filter.entity !== undefined) {
      const open = new Set(filter.parts.map(({ number }) => number));
      for (const document of filter.ofEntity()) if (open.has(documents.word(document, PART))) yield document;
      return;
    }
    const next = filter.parts.map((part) => filter.countOf(part) - 1);
    for (;;) {
      let newest = -1;
      let from = -1;
      filter.parts.forEach((part, at) => {
        const ordinal = next[at] as number;
        if (ordinal < 0 || part.documents.at(ordinal) <= newest) return;
        newest = part.documents.at(ordinal);
        from = at;
      });
      if (from < 0) return;
      next[from] = (next[from] as number) - 1;
      yield newest;
    }
  }

  #hits(found: readonly { readonly document: number; readonly score: number }[]): Hit[] {
    return found.map(({ document, score }) => ({ id: this.#state.documents.ids.idOf(document), score }));
  }
}
