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

/**
 * A fact that a search found, with the score of that search: above 0, and comparable within one result of one method
 * only.
 */
export interface Hit {
  readonly id: string;
  readonly score: number;
}

/** A fact that others stand beside in its session. */
export interface Together {
  readonly id: string;
  /**
   * 0 to 1: of the words of the query, weighed as `lexical` weighs them, the share that the fact and those around it
   * hold. A word counts in full in the fact itself, and less the further away it is.
   */
  readonly share: number;
}

/** What the first look by vectors asks for. */
export interface Asked {
  /** Facts that `lexical` found, best first. */
  readonly words: readonly string[];
  /** As for `dense`, by the vectors of one embedder each. */
  readonly vectors: readonly { readonly vector: Float32Array; readonly floor: number; readonly embedder: string }[];
  /** How many of the first of `words` feedback is asked from. */
  readonly feedbackFrom: number;
}

/** What the first look by one vector found. */
export interface Looked {
  readonly hits: readonly Hit[];
  /** How the view lies around the vector. */
  readonly spread: Omit<Spread, 'named'>;
  /** How similar what words found is. */
  readonly similarities: readonly Hit[];
  /** As `feedback` has it, for what words found and for these hits. */
  readonly feedback: Feedback | null;
}

/**
 * What is similar to a query once it was moved half-way towards texts that it found (pseudo-relevance feedback: Rocchio
 * 1971, "Relevance feedback in information retrieval").
 */
export interface Feedback {
  /**
   * Those of the facts that have a vector, in no order: how similar each one is to the query, and to the moved query.
   * One towards which it was moved would be like itself, so that it was moved towards the others alone for that one.
   */
  readonly similarities: readonly { readonly id: string; readonly before: number; readonly after: number }[];
  /** How the view lies around the moved query. */
  readonly spread: Omit<Spread, 'named'>;
}

/** Facts near others, and what of a query those that were given and those near them cover. */
export interface Around {
  readonly hits: readonly Hit[];
  /** As `together` has it, for the seeds and then the hits. */
  readonly together: readonly Together[];
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
   * A search of the past: of the facts up to this stamp of the feed, with the statistics of these facts and what had
   * ended by then. Where an earlier time to live of a fact was replaced later, the fact may be found although it had
   * expired.
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
 * can take one of the `limit` places. Results are ordered by score, best first, then newest first by origin stamp, then
 * by identifier, and are the same for the same facts on every process, engine and node, whatever order the facts came
 * in. An index returns identifiers only: its caller
 * reads the facts as the caller of the request, and so checks them again.
 *
 * Every argument and every result can be cloned (`structuredClone`), so an index may run in this thread, in a worker,
 * or in an engine of its own. A plugin that provides this ref takes the place of `search`.
 */
export interface SearchIndex {
  /**
   * Resolves with null when every fact that was committed before the call can be found, whichever process wrote it.
   * While the index is being built it waits for some seconds; then it resolves with the stamp of the feed up to which
   * facts can be found.
   */
  ready(): Promise<Hlc | null>;
  /** Whether the vectors of facts from before the start are still being made or read. */
  isMakingVectors(): Promise<boolean>;
  /**
   * Okapi BM25 over entity, relation, value and date of a fact. The query is plain text; nothing in it is an operator.
   */
  lexical(query: string, view: SearchView, limit: number): Promise<Hit[]>;
  /**
   * Ids of the embedders by whose vectors facts can be found now, that of the node first. There are two while facts get
   * vectors of a new embedder: each fact is found by its new vector where it has one, else by the old one. Scores of
   * two embedders say nothing about each other.
   */
  embedders(): Promise<readonly string[]>;
  /**
   * Cosine similarity of unit vectors of one embedder, by default the first of `embedders`; hits below `floor` are
   * none. An embedder that is not among them finds nothing.
   */
  dense(vector: Float32Array, floor: number, view: SearchView, limit: number, embedder?: string): Promise<Hit[]>;
  /**
   * What a similarity of `dense` is worth in this view: how similar its facts are to the vector in general, and how
   * similar the facts with these ids are.
   */
  spread(vector: Float32Array, ids: readonly string[], view: SearchView, embedder?: string): Promise<Spread>;
  /**
   * How similar the facts with these ids are to the vector when it was moved towards the facts `from`, two at least.
   * Null where one of those has no vector in the view or stands beside others in its session: there, what stands around
   * it says more.
   */
  feedback(
    vector: Float32Array,
    from: readonly string[],
    ids: readonly string[],
    view: SearchView,
    embedder?: string,
  ): Promise<Feedback | null>;
  /**
   * `dense`, `spread` and `feedback` in one go, for an index that is far away: for each vector in its order, at most
   * `limit` hits.
   */
  look(asked: Asked, view: SearchView, limit: number): Promise<readonly Looked[]>;
  /**
   * Facts near the seeds in the sessions that they were asserted in, in feed order over what the view holds; the score
   * falls with the distance, and of several seeds the one that gives most counts. A seed is scored by the other seeds
   * only.
   */
  besides(seeds: readonly Hit[], view: SearchView, limit: number): Promise<Hit[]>;
  /**
   * Those of the given facts that stand beside others in the sessions that they were asserted in, in the given order,
   * each with what of the query it covers together with those around it. Facts around it are those that the view holds.
   */
  together(query: string, ids: readonly string[], view: SearchView): Promise<Together[]>;
  /** `besides`, and `together` of the seeds and of what is found, in one go. */
  around(query: string, seeds: readonly Hit[], view: SearchView, limit: number): Promise<Around>;
  /** Every live fact of the view, newest first, scored by its confidence: for an entity's own facts. */
  newest(view: SearchView, limit: number): Promise<Hit[]>;
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

/** How the vectors of a view lie around the vector of a query. */
export interface Spread {
  /** Facts that were compared: all of a small view, of a larger one some hundreds that lie evenly in it. */
  readonly count: number;
  /** Mean and standard deviation of their similarities; 0 where there are none. */
  readonly mean: number;
  readonly deviation: number;
  /** Similarities of the facts that were named and have a vector in the view, in no order. */
  readonly named: readonly number[];
}

export const SearchIndex = defineRef<SearchIndex>('search.index');

/**
 * Ranks a few texts that are no facts, as `SearchIndex.lexical` ranks facts: with the same tokenizer and the same
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
  /** What else an operator may want to know. */
  readonly details?: Readonly<Record<string, string | number>>;
}

/** One rebuild of an index, inside a job. */
export interface RebuildRun {
  /** Aborts when a caller has cancelled the work, and when the node stops. */
  readonly signal: AbortSignal;
  /** What the last `checkpoint` of this work has stored; null at its beginning. */
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
  /** Resolves when the new index serves. What was found before is found meanwhile. */
  rebuild(run: RebuildRun): Promise<void>;
  /** A caller has cancelled the work, which has stored this. */
  cancelled?(checkpoint: JobData | null): Promise<void>;
}

/** Asks plugins for the indexes that they keep beside the facts. */
export const rebuildableIndexes = defineCollectHook<Record<string, never>, RebuildableIndex>('index:rebuild');
