import type { Expiry, FactName } from '../../../kernel/plugin-api.ts';
import { compareHlc } from '../../../ports/fact.ts';
import type { Hlc } from '../../../ports/ports.ts';
import type { Around, Asked, Feedback, Hit, Looked, SearchIndex, SearchView, Spread, Together } from '../search-api.ts';
import type { ByteSource } from '../snapshot/byte-source.ts';
import { type ReadSnapshot, readSnapshot } from '../snapshot/read-snapshot.ts';
import { beginSegment, type SnapshotOptions, type WrittenSegment } from '../snapshot/write-snapshot.ts';
import type { CodeTable, VectorCodes } from '../vectors/vector-codes.ts';
import { VectorLayer } from '../vectors/vector-layer.ts';
import { searchWords } from '../words/search-words.ts';
import { DenseSearch, type NearVector, type ServedLayer } from './dense-search.ts';
import { CONFIDENCE, PART } from './document-table.ts';
import { type IndexedCover, type IndexedFact, IndexState, isFindable } from './index-state.ts';
import { NEIGHBOUR_WEIGHTS, sessionNeighbours } from './session-neighbours.ts';
import { SessionSides } from './session-sides.ts';
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

/** A few milliseconds of work. */
const LINKED_AT_ONCE = 4_096;

const BEFORE_ALL: Hlc = { wallMs: 0, counter: -1 };

export interface RestoredIndex extends Omit<ReadSnapshot, 'state'> {
  readonly index: MemoryIndex;
}

/** A search index in memory. Its feeder decides what it applies of the feed. */
export class MemoryIndex implements Omit<SearchIndex, 'ready' | 'isMakingVectors'>, IndexWriter {
  readonly #state: IndexState;
  readonly #vectors: DenseSearch;
  #newest: Hlc;
  readonly #isOlder: IsOlder = (document, than) => this.#state.documents.isOlder(document, than);

  private constructor(state: IndexState, newest: Hlc) {
    this.#state = state;
    this.#vectors = new DenseSearch(state);
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
    this.#vectors.serve(layers);
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

  async look({ words, vectors, feedbackFrom }: Asked, view: SearchView, limit: number): Promise<Looked[]> {
    const filter = new ViewFilter(this.#state, view);
    const documents = this.#documentsOf(words, view);
    return vectors.map(({ vector, floor, embedder }) => {
      const near = this.#vectors.near(vector, filter, embedder);
      const hits = near.hits(floor, limit);
      const all = [...new Set([...documents, ...hits.map(({ document }) => document)])];
      return {
        hits: this.#hits(hits),
        spread: near.spread(),
        similarities: this.#hits(near.similaritiesOf(documents)),
        feedback: this.#feedback(near, documents.slice(0, feedbackFrom), all),
      };
    });
  }

  async embedders(): Promise<string[]> {
    return this.#vectors.embedders;
  }

  async dense(...given: Parameters<SearchIndex['dense']>): Promise<Hit[]> {
    const [vector, floor, view, limit, embedder] = given;
    return this.#hits(this.#near(vector, view, embedder).hits(floor, limit));
  }

  async spread(...given: Parameters<SearchIndex['spread']>): Promise<Spread> {
    const [vector, ids, view, embedder] = given;
    const near = this.#near(vector, view, embedder);
    const similar = near.similaritiesOf(this.#documentsOf(ids, view));
    return { ...near.spread(), named: similar.map(({ score }) => score) };
  }

  async feedback(...given: Parameters<SearchIndex['feedback']>): Promise<Feedback | null> {
    const [vector, from, ids, view, embedder] = given;
    const texts = this.#documentsOf(from, view);
    if (texts.length < from.length) return null;
    return this.#feedback(this.#near(vector, view, embedder), texts, this.#documentsOf(ids, view));
  }

  async besides(seeds: readonly Hit[], view: SearchView, limit: number): Promise<Hit[]> {
    return this.#besides(seeds, view.tenantId, this.#sides(new ViewFilter(this.#state, view)), limit);
  }

  async around(query: string, seeds: readonly Hit[], view: SearchView, limit: number): Promise<Around> {
    const filter = new ViewFilter(this.#state, view);
    const sides = this.#sides(filter);
    const { tenantId } = view;
    const hits = this.#besides(seeds, tenantId, sides, limit);
    const ids = [...new Set([...seeds, ...hits].map(({ id }) => id))];
    return { hits, together: wordsTogether(this.#state, query, { ids, tenantId }, filter, sides) };
  }

  async together(query: string, ids: readonly string[], view: SearchView): Promise<Together[]> {
    const filter = new ViewFilter(this.#state, view);
    return wordsTogether(this.#state, query, { ids, tenantId: view.tenantId }, filter, this.#sides(filter));
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

  #near(vector: Float32Array, view: SearchView, embedder?: string): NearVector {
    return this.#vectors.near(vector, new ViewFilter(this.#state, view), embedder);
  }

  #feedback(near: NearVector, from: readonly number[], documents: readonly number[]): Feedback | null {
    const found = near.feedback(from, documents);
    if (found === undefined) return null;
    const { ids } = this.#state.documents;
    return {
      similarities: found.similar.map(({ document, ...similar }) => ({ id: ids.idOf(document), ...similar })),
      spread: found.spread,
    };
  }

  #documentsOf(ids: readonly string[], { tenantId }: SearchView): number[] {
    return ids.map((id) => this.#state.documentOf({ tenantId, id })).filter((document) => document >= 0);
  }

  #sides(filter: ViewFilter): SessionSides {
    return new SessionSides(this.#state, filter, NEIGHBOUR_WEIGHTS.length);
  }

  #besides(seeds: readonly Hit[], tenantId: string, sides: SessionSides, limit: number): Hit[] {
    if (limit < 1) return [];
    const scores = sessionNeighbours(sides, tenantId, seeds);
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
