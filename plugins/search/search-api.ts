import {
  defineCollectHook,
  defineRef,
  type Hlc,
  type PluginSnapshot,
  type Scope,
  ServiceError,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { JobData, JobProgress } from '../jobs/jobs-api.ts';

export { foldWords } from './words/fold-words.ts';
export { queryWords } from './words/query-terms.ts';

/** A fact with a score. Scores are comparable only within one answer. */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

/** Facts by their ids, followed by the facts that earlier steps of the plan find. Duplicates are removed. */
export interface NamedFacts {
  readonly ids?: readonly string[] | undefined;
  /** Indices of earlier steps in the plan. */
  readonly foundBy?: readonly number[] | undefined;
  /** Uses only this many of these facts. */
  readonly first?: number | undefined;
}

/** A unit vector, and the id of its embedder: by default the first of `SearchIndex.embedders`. */
export interface QueriedVector {
  readonly vector: Float32Array;
  readonly embedder?: string | undefined;
}

/** Okapi BM25 over entity, relation, value and date of a fact. The query is plain text without operators. */
export interface WordsStep {
  readonly find: 'words';
  readonly query: string;
  readonly limit: number;
}

/**
 * Cosine similarity to a vector, of at least `floor`. An embedder that is not among `SearchIndex.embedders` finds
 * nothing.
 */
export interface NearStep extends QueriedVector {
  readonly find: 'near';
  readonly floor: number;
  readonly limit: number;
}

/**
 * Facts near the seeds in the sessions in which they were asserted, in feed order over the facts of the view. The score
 * falls with the distance. If several seeds are near, the one with the highest score counts. A seed is scored only by
 * the other seeds.
 */
export interface BesideStep {
  readonly find: 'beside';
  readonly seeds: readonly Hit[];
  readonly limit: number;
}

/** Every live fact of the view, newest first, scored by its confidence. */
export interface NewestStep {
  readonly find: 'newest';
  readonly limit: number;
  /** Replaces the view's entity. */
  readonly entityKey?: string | undefined;
}

/**
 * The distribution of the view's vectors around a vector. Finds the named facts that have a vector, by their
 * similarity.
 */
export interface SpreadStep extends QueriedVector {
  readonly find: 'spread';
  readonly of: NamedFacts;
}

/**
 * Moves the vector half-way towards the texts `from` (pseudo-relevance feedback: Rocchio 1971, "Relevance feedback in
 * information retrieval"), and then does the same as `spread`. For a fact of `from`, the vector moves only towards the
 * other texts. The answer is empty for fewer than two texts, if one of them has no vector in the view, or if one has
 * neighbours in its session.
 */
export interface FeedbackStep extends QueriedVector {
  readonly find: 'feedback';
  readonly from: NamedFacts;
  readonly of: NamedFacts;
}

/**
 * Finds those of the facts that have neighbours of the view in their session, in the given order. The score, 0 to 1, is
 * the share of the query's words that a fact and its neighbours contain, weighted as `words` weights them. A word
 * counts in full in the fact itself, and less with growing distance.
 */
export interface ShareStep {
  readonly find: 'share';
  readonly query: string;
  readonly of: NamedFacts;
}

/** One step of a plan. */
export type SearchStep = WordsStep | NearStep | BesideStep | NewestStep | SpreadStep | FeedbackStep | ShareStep;

/** The answer to one step. */
export interface SearchAnswer {
  /**
   * `words`, `near`, `beside` and `newest` find at most `limit` facts with scores above 0. They order them by score,
   * best first, then by origin stamp, newest first, then by identifier. `spread` and `feedback` have no order.
   */
  readonly hits: readonly Hit[];
  /**
   * The answer of `words`: the score that no fact exceeds, the sum of the weights of all words of the query. Words that
   * occur nowhere in the view count as well. 0 if the view or the query is empty.
   */
  readonly bound?: number | undefined;
  /** The answer of `spread`, and of `feedback` unless that is empty. */
  readonly spread?: Spread | undefined;
  /** The similarities to the unmoved vector, in the order of the hits of `feedback`. */
  readonly before?: readonly number[] | undefined;
}

/** The distribution of a view's vectors around a vector. */
export interface Spread {
  /** The number of compared facts: all of a small view, or an even sample of some hundreds. */
  readonly count: number;
  /** Mean and standard deviation of their similarities; 0 for none. */
  readonly mean: number;
  readonly deviation: number;
}

/**
 * The facts that a search may read. An index opens only the parts that the caller may read, and computes statistics
 * over these parts alone, so that a hidden fact changes no score.
 */
export interface SearchView {
  readonly tenantId: string;
  readonly scopes: readonly Scope[];
  /** Gardens whose facts are searched, besides facts outside gardens; `all` for callers who may read every garden. */
  readonly gardens: 'all' | readonly string[];
  /** Narrows the search to one garden, and excludes facts outside gardens. */
  readonly onlyGarden?: string | undefined;
  /** Excludes facts that have expired by this time, in milliseconds. */
  readonly nowMs: number;
  /**
   * A feed stamp for a search of the past: it covers the facts up to the stamp, with the statistics and the ends of
   * that moment. An index that stores only the last time-to-live of a fact may find one that had expired.
   */
  readonly asOf?: Hlc | undefined;
  /** The least confidence of a fact, regardless of trust in its source. */
  readonly minConfidence: number;
  readonly entityKey?: string | undefined;
  readonly relationKey?: string | undefined;
  /** Excludes facts whose beginning, or timestamp without one, is at or before this time, in milliseconds. */
  readonly afterMs?: number | undefined;
  /** Excludes facts whose beginning, or timestamp without one, is at or after this time, in milliseconds. */
  readonly beforeMs?: number | undefined;
  /** The entities, relations, sources and sessions whose facts are found; an empty list finds nothing. */
  readonly entityKeys?: readonly string[] | undefined;
  readonly relationKeys?: readonly string[] | undefined;
  readonly sourceKeys?: readonly string[] | undefined;
  readonly sessionIds?: readonly string[] | undefined;
  /** Finds only facts that this principal asserted. Sessions of two principals may have the same name. */
  readonly assertedBy?: string | undefined;
  /** Relations whose facts are excluded. */
  readonly excludedRelationKeys?: readonly string[] | undefined;
  /** Triples whose facts are excluded. */
  readonly contested?: readonly PlacedTriple[] | undefined;
}

/** A triple and its place: a garden, or outside all gardens. */
export type PlacedTriple = Pick<StoredFact, 'scope' | 'gardenId' | 'entityKey' | 'relationKey'>;

/**
 * Finds live facts by their words, their vectors and their neighbourhood. Every filter of the view applies before a
 * fact can take one of the `limit` places. The same facts give the same answers in every process, engine and node, and
 * in every order of arrival. An index returns only identifiers. Its caller reads the facts with the rights of the
 * requester, and so checks them again. Plans, views and answers can be cloned (`structuredClone`), so an index
 * may run in this thread, in a worker, or in a separate engine. A plugin that provides this ref replaces the index of
 * `search`; `describeSearchIndex` of `fact-memory-node/testing` tests it against this contract.
 */
export interface SearchIndex {
  /**
   * Resolves with null if a search can find every fact that any process committed before the call. While the index is
   * being built, it waits for some seconds. Then it resolves with the feed stamp up to which facts can be found.
   */
  ready(): Promise<Hlc | null>;
  /** True while the vectors of facts from before the start are being computed or read. */
  isMakingVectors(): Promise<boolean>;
  /**
   * Ids of the embedders by whose vectors facts can be found now, that of the node first. There are two while facts get
   * vectors of a new embedder. Then each fact is found by its new vector if it has one, else by the old one. Scores of
   * different embedders are not comparable.
   */
  embedders(): Promise<readonly string[]>;
  /**
   * Runs the steps of a plan in order, all on the same facts, and returns an answer for each. An index in the tables of
   * the store reads the caller's `snapshot`, if there is one, instead of opening another. Other indexes ignore it.
   */
  ask(plan: readonly SearchStep[], view: SearchView, snapshot?: PluginSnapshot): Promise<readonly SearchAnswer[]>;
}

/**
 * Searches may reject with this error if the index was lost since `ready`, for example with a failed thread. `ready`
 * waits for the next index; then the search can be repeated. Wait for it without an open snapshot.
 */
export class IndexLost extends ServiceError {
  constructor() {
    super('unavailable', 'the search index is being built anew', { hint: 'try again' });
  }
}

export const SearchIndex = defineRef<SearchIndex>('search.index');

/**
 * Ranks a few texts that are not facts, as the step `words` ranks facts: with the same tokenizer and the same formula.
 * Arguments and results can be cloned too.
 */
export interface TextRanker {
  /**
   * Okapi BM25 of the query over each text, in the order of the texts: 0 if they share no word, finite and above 0
   * otherwise. Statistics cover only the given texts. The query is plain text without operators. Every text is read in
   * full.
   */
  rank(query: string, texts: readonly string[]): Promise<number[]>;
}

export const TextRanker = defineRef<TextRanker>('search.text-ranker');

/** The state of an index. */
export interface IndexReport {
  readonly isComplete: boolean;
  /** The number of facts indexed so far, out of `total`, during a build. */
  readonly done?: number;
  readonly total?: number;
  /** The reason why the last step failed, for people. It never contains a secret. */
  readonly error?: string;
  /** More figures for an operator. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** One rebuild of an index, inside a job. */
export interface RebuildRun {
  /** Aborts when a caller cancels the work or the node stops. */
  readonly signal: AbortSignal;
  /** The data of the last `checkpoint` of this work; null at the start. */
  readonly resumedFrom: JobData | null;
  /** Reports the number of processed facts out of all. */
  progress(now: JobProgress): void;
  /** Stores the position of the work, from which it resumes after a crash. */
  checkpoint(data: JobData): Promise<void>;
}

/** An index that can be rebuilt from the facts while it serves. */
export interface RebuildableIndex {
  /** The name of the index in `POST /v1/admin/reindex`: lower-case letters and dashes. */
  readonly name: string;
  /** A summary of one line for people. */
  readonly summary: string;
  state(): Promise<IndexReport>;
  /** Resolves when the new index serves. The old index serves meanwhile. */
  rebuild(run: RebuildRun): Promise<void>;
  /** Called after a caller cancelled the work, with its last checkpoint. */
  cancelled?(checkpoint: JobData | null): Promise<void>;
}

/** Collects the indexes that plugins derive from the facts. */
export const rebuildableIndexes = defineCollectHook<Record<string, never>, RebuildableIndex>('index:rebuild');
