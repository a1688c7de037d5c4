import type { Expiry, FactName } from '../../../kernel/internal-api.ts';
import { compareHlc, type Hlc } from '../../../kernel/thread-api.ts';
import type { SearchAnswer, SearchIndex, SearchStep, SearchView } from '../search-api.ts';
import type { ByteSource } from '../snapshot/byte-source.ts';
import { type ReadSnapshot, readSnapshot } from '../snapshot/read-snapshot.ts';
import { beginSegment, type SnapshotOptions, type WrittenSegment } from '../snapshot/write-snapshot.ts';
import type { CodeTable, VectorCodes } from '../vectors/vector-codes.ts';
import { VectorLayer } from '../vectors/vector-layer.ts';
import { DenseSearch, type ServedLayer } from './dense-search.ts';
import { type IndexedCover, type IndexedFact, IndexState, isFindable } from './index-state.ts';
import { takeSteps } from './take-steps.ts';
import type { HashSeed } from './text-hash.ts';

/**
 * Takes in changes. Facts come in the order of the feed; everything else comes in any order, before or after the facts
 * it names.
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
  /** Ends older facts of a triple, for callers who can see the cover. Idempotent. */
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
export class MemoryIndex implements Pick<SearchIndex, 'ask'>, IndexWriter {
  readonly #state: IndexState;
  readonly #vectors: DenseSearch;
  #newest: Hlc;

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

  /** Runs part of the work deferred at restore (otherwise done on first use). Returns true while some remains. */
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

  async ask(plan: readonly SearchStep[], view: SearchView): Promise<SearchAnswer[]> {
    return takeSteps(plan, view, this.#state, this.#vectors);
  }
}
