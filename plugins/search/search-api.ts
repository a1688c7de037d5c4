import {
  defineCollectHook,
  defineRef,
  type Hlc,
  type Scope,
  ServiceError,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { JobData, JobProgress } from '../jobs/jobs-api.ts';

export { foldWords } from './words/fold-words.ts';
export { queryWords } from './words/query-terms.ts';

/** A fact with a score. Scores are comparable within one answer only. */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

/** Facts by their ids, then those that earlier steps of the plan found, each once. */
export interface NamedFacts {
  readonly ids?: readonly string[] | undefined;
  /** Places of earlier steps in the plan. */
  readonly foundBy?: readonly number[] | undefined;
  /** Takes only so many of these facts. */
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
 * Facts near the seeds in the sessions that they were asserted in, in feed order over the facts of the view. The score
 * falls with the distance; of several seeds the one that gives most counts. A seed is scored by the other seeds only.
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
  /** Takes the place of the view's. */
  readonly entityKey?: string | undefined;
}

/** How the vectors of the view lie around a vector. Finds the named facts that have a vector, by their similarity. */
export interface SpreadStep extends QueriedVector {
  readonly find: 'spread';
  readonly of: NamedFacts;
}

/**
 * Moves the vector half-way towards the texts `from` (pseudo-relevance feedback: Rocchio 1971, "Relevance feedback in
 * information retrieval"), and then does what `spread` does. For a fact of `from` the vector moves towards the other
 * ones alone. The answer is empty for fewer than two texts, and where one of them has no vector in the view or stands
 * beside others in its session.
 */
export interface FeedbackStep extends QueriedVector {
  readonly find: 'feedback';
  readonly from: NamedFacts;
  readonly of: NamedFacts;
}

/**
 * Finds those of the facts that stand beside others of the view in their session, in the given order. The score, 0 to
 * 1, is the share of the query's words that a fact and the facts around it hold, weighed as `words` weighs them. A word
 * counts in full in the fact itself, and less the further away it is.
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
  /** The answer of `spread`, and of `feedback` unless that is empty. */
  readonly spread?: Spread | undefined;
  /** The similarities to the vector that `feedback` has not moved, in the order of its hits. */
  readonly before?: readonly number[] | undefined;
}

/** How the vectors of a view lie around a vector. */
export interface Spread {
  /** Facts that were compared: all of a small view, of a larger one some hundreds that lie evenly in it. */
  readonly count: number;
  /** Mean and standard deviation of their similarities; 0 where there are none. */
  readonly mean: number;
  readonly deviation: number;
}

/**
 * Which facts a search may touch. An index opens only the parts that the caller may read, and computes statistics over
 * these parts alone, so that a hidden fact changes no score.
 */
export interface SearchView {
  readonly tenantId: string;
  readonly scopes: readonly Scope[];
  /** Gardens whose facts are searched, besides facts outside gardens; `all` for callers who may read every garden. */
  readonly gardens: 'all' | readonly string[];
  /** Narrows the search to one garden: facts outside gardens are then left out too. */
  readonly onlyGarden?: string | undefined;
  /** Facts that have expired by then are left out. */
  readonly nowMs: number;
  /**
   * A search of the past: of the facts up to this stamp of the feed, with the statistics and the ends of that moment.
   * Where an earlier time to live of a fact was replaced later, the fact may be found although it had expired.
   */
  readonly asOf?: Hlc | undefined;
  /** Least confidence of a fact, without regard to trust in its source. */
  readonly minConfidence: number;
  readonly entityKey?: string | undefined;
  readonly relationKey?: string | undefined;
  /** Triples whose facts are left out. */
  readonly contested?: readonly PlacedTriple[] | undefined;
}

/** A triple in its place: a garden, or outside all gardens. */
export type PlacedTriple = Pick<StoredFact, 'scope' | 'gardenId' | 'entityKey' | 'relationKey'>;

/**
 * Finds live facts by their words, their vectors and their neighbourhood. Every filter of the view holds before a fact
 * can take one of the `limit` places. The same facts give the same answers in every process, engine and node, and in
 * every order of arrival. An index returns identifiers only: its caller reads the facts as the caller of the request,
 * and so checks them again.
 *
 * Every argument and every answer can be cloned (`structuredClone`), so an index may run in this thread, in a worker,
 * or in an engine of its own. A plugin that provides this ref takes the place of `search`.
 */
export interface SearchIndex {
  /**
   * Resolves with null when every fact that any process committed before the call can be found. While the index is
   * being built it waits for some seconds; then it resolves with the stamp of the feed up to which facts can be found.
   */
  ready(): Promise<Hlc | null>;
  /** Whether the vectors of facts from before the start are still being made or read. */
  isMakingVectors(): Promise<boolean>;
  /**
   * Ids of the embedders by whose vectors facts can be found now, that of the node first. There are two while facts get
   * vectors of a new embedder: each fact is found by its new vector where it has one, else by the old one. Scores of
   * two embedders say nothing about each other.
   */
  embedders(): Promise<readonly string[]>;
  /** Takes the steps of a plan in order, all on the same facts, and returns an answer for each. */
  ask(plan: readonly SearchStep[], view: SearchView): Promise<readonly SearchAnswer[]>;
}

/**
 * Searches may reject with it when the index was lost since `ready`, with a thread that failed for example. `ready`
 * waits for the next one, and then the search can be repeated. Wait for it without an open snapshot.
 */
export class IndexLost extends ServiceError {
  constructor() {
    super('unavailable', 'the search index is being built anew', { hint: 'try again' });
  }
}

export const SearchIndex = defineRef<SearchIndex>('search.index');

/**
 * Ranks a few texts that are no facts, as the step `words` ranks facts: with the same tokenizer and the same
 * formula. Arguments and results can be cloned here as well.
 */
export interface TextRanker {
  /**
   * Okapi BM25 of the query over each text, in the order of the texts: 0 where they share no word, finite and above 0
   * otherwise. Statistics are those of the given texts and of nothing else. The query is plain text; nothing in it is
   * an operator. Every text is read in full.
   */
  rank(query: string, texts: readonly string[]): Promise<number[]>;
}

export const TextRanker = defineRef<TextRanker>('search.text-ranker');

/** How an index stands. */
export interface IndexReport {
  readonly isComplete: boolean;
  /** While it is being built: facts that it has, of so many. */
  readonly done?: number;
  readonly total?: number;
  /** Why the last step failed, for people. Never a secret. */
  readonly error?: string;
  /** More figures for an operator. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** One rebuild of an index, inside a job. */
export interface RebuildRun {
  /** Aborts when a caller has cancelled the work, and when the node stops. */
  readonly signal: AbortSignal;
  /** The data of the last `checkpoint` of this work; null at its beginning. */
  readonly resumedFrom: JobData | null;
  /** Facts, of all. */
  progress(now: JobProgress): void;
  /** Keeps where the work is: it goes on from there after a crash. */
  checkpoint(data: JobData): Promise<void>;
}

/** An index that can be made anew from the facts while it serves. */
export interface RebuildableIndex {
  /** The word for it in `POST /v1/admin/reindex`: lower-case letters and dashes. */
  readonly name: string;
  /** One line for people. */
  readonly summary: string;
  state(): Promise<IndexReport>;
  /** Resolves when the new index serves. The index before serves meanwhile. */
  rebuild(run: RebuildRun): Promise<void>;
  /** A caller has cancelled the work, which has stored this. */
  cancelled?(checkpoint: JobData | null): Promise<void>;
}

/** Asks plugins for the indexes that they keep beside the facts. */
export const rebuildableIndexes = defineCollectHook<Record<string, never>, RebuildableIndex>('index:rebuild');
