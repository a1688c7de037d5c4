import type { Expiry, FactName, FormerExpiry } from '../../../kernel/internal-api.ts';
import { compareHlc, type Hlc } from '../../../kernel/thread-api.ts';
import type { SearchAnswer, SearchIndex, SearchStep, SearchView } from '../search-api.ts';
import type { ByteSource } from '../snapshot/byte-source.ts';
import { type ReadSnapshot, readSnapshot } from '../snapshot/read-snapshot.ts';
import { beginSegment, type SnapshotOptions, type WrittenSegment } from '../snapshot/write-snapshot.ts';
import type { CodeTable, VectorCodes } from '../vectors/vector-codes.ts';
import { VectorLayer } from '../vectors/vector-layer.ts';
import { DenseSearch, type ServedLayer } from './dense-search.ts';
import { IndexState } from './index-state.ts';
import { type IndexedCover, type IndexedFact, isFindable } from './indexed-fact.ts';
import { takeSteps } from './take-steps.ts';
import type { HashSeed } from './text-hash.ts';

/**
 * Applies changes to an index. Facts arrive in the order of the feed. All other changes may arrive in any order, before
 * or after the facts that they name.
 */
export interface IndexWriter {
  /**
   * Adds a fact, which the very next search can find. This is the only way to add one. Ignores a known fact, and one
   * that no search may find. Throws a RangeError unless the fact's feed stamp is above that of the last added fact.
   */
  add(fact: IndexedFact): void;
  /**
   * Withholds a fact from every search as if it had never been added, or restores it. Idempotent. Ignores a fact that
   * is not in the index.
   */
  withhold(fact: IndexedFact, isWithheld: boolean): void;
  /** Ends older facts of a triple, for callers who can see the cover. Idempotent. */
  cover(cover: IndexedCover): void;
  /** Sets the expiry of a fact. The newest stamp counts. Idempotent. */
  expire(expiry: Expiry): void;
  /** Keeps an expiry that the known one replaced, for searches of the past. Those of a fact come oldest first. */
  keepFormer(former: FormerExpiry): void;
}

/** The number of documents linked in one go: a few milliseconds of work. */
const LINKED_AT_ONCE = 4_096;

const BEFORE_ALL: Hlc = { wallMs: 0, counter: -1 };

export interface RestoredIndex extends Omit<ReadSnapshot, 'state'> {
  readonly index: MemoryIndex;
}

/** A search index in memory. Its caller applies the feed to it. */
export class MemoryIndex implements Pick<SearchIndex, 'ask'>, IndexWriter {
  readonly #state: IndexState;
  readonly #vectors: DenseSearch;
  #newest: Hlc;

  private constructor(state: IndexState, newest: Hlc) {
    this.#state = state;
    this.#vectors = new DenseSearch(state);
    this.#newest = newest;
  }

  /**
   * Creates an empty index. The seed must be unpredictable, because anybody may choose the texts that are hashed under
   * it.
   */
  static create(seed: HashSeed): MemoryIndex {
    return new MemoryIndex(new IndexState(seed), BEFORE_ALL);
  }

  /**
   * Reads an index from a snapshot, without its vectors, and the feed stamp up to which it is current. Throws
   * `UnusableSnapshot` for a snapshot that is damaged, truncated or of another version.
   */
  static async restore(source: ByteSource): Promise<RestoredIndex> {
    const { state, applied, place, frames } = await readSnapshot(source);
    return { index: new MemoryIndex(state, applied), applied, place, frames };
  }

  /**
   * Writes the present index, or its additions since a position, as chunks of about a megabyte. The index may change
   * between chunks. `applied` is the feed stamp up to which it is current now. See `beginSegment`.
   */
  snapshot(applied: Hlc, options?: SnapshotOptions): WrittenSegment {
    return beginSegment(this.#state, applied, options);
  }

  /** Does part of the work that the restore deferred (otherwise done on first use). Returns true while some remains. */
  settle(): boolean {
    return this.#state.chains.linkSome(LINKED_AT_ONCE);
  }

  /** The number of facts that some reader can find, or could find before they ended. */
  get size(): number {
    return this.#state.documents.count;
  }

  /** Creates a layer of vectors, empty or from given tables, to be filled and then served. */
  createVectors<T extends CodeTable>(codes: VectorCodes<T>, tables?: readonly (T | undefined)[]): VectorLayer<T> {
    return new VectorLayer(this.#state, codes, tables);
  }

  /**
   * Sets the layers that `near`, `spread` and `feedback` search. Those of the default embedder come first. Before the
   * first call they find nothing. A fact has a vector in only one layer.
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

  /** True if a fact is in the index and may be found. */
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

  keepFormer(former: FormerExpiry): void {
    this.#state.keepFormer(former);
  }

  async ask(plan: readonly SearchStep[], view: SearchView): Promise<SearchAnswer[]> {
    return takeSteps(plan, view, this.#state, this.#vectors);
  }
}
