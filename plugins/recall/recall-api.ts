import {
  defineCollectHook,
  defineFilterHook,
  defineRef,
  defineVocabulary,
  type FactReader,
  type FactView,
  type JsonSchema,
  type Principal,
  type Word,
} from '../../kernel/plugin-api.ts';
import type { Hit, SearchView } from '../search/search-api.ts';

/** A question of a caller to its memory. A member that is left out has its default. */
export interface Question {
  /** Text of 1 character to 16 KiB; it may be left out where an entity is asked about. */
  readonly query?: string | undefined;
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  /** 1 to 200,000. */
  readonly tokenBudget: number;
  /** Hops of graph expansion, 0 to 2; 1 by default. */
  readonly depth?: number | undefined;
  /**
   * Shares of `lexical`, `vector`, `graph`, `source_trust` and `recency`, from 0 to 1, which add up to 1. A share that
   * is not given is 0 once any is.
   */
  readonly weights?: Readonly<Record<string, number | null>> | undefined;
  /** `global` (the default) for all scopes of the caller, a scope, or a garden: its URI, its id or `garden:<slug>`. */
  readonly scope?: string | undefined;
  /** 0 to 1, 0.7 by default: 1 packs by score alone, less prefers what says something new. */
  readonly lambdaMmr?: number | undefined;
  /** 0 to 1, 0.1 by default: least confidence after trust in the source. */
  readonly minConfidence?: number | undefined;
  /** Waits for a fresh summary of the entity, up to half a second. */
  readonly forceRefresh?: boolean | undefined;
  /** Adds facts in an unresolved contradiction. */
  readonly includeContradicted?: boolean | undefined;
  /** False switches graph expansion off. */
  readonly includeNeighbors?: boolean | undefined;
  /** Facts at most, 1 to 500; 100 by default. */
  readonly limit?: number | undefined;
  /**
   * An instant (RFC 3339) or a stamp: what this node would have recalled then, by the rights of today. Cards are not
   * used, and neither is how often facts were recalled; facts that are recalled from the past do not count as used.
   */
  readonly asOf?: string | undefined;
}

export interface RecallOptions {
  /** Name of the session that the facts are read in, up to 128 characters without white space around them. */
  readonly session?: string | undefined;
  /** Asks plugins for proofs of the recalled facts. */
  readonly verify?: boolean;
  /** How many of the facts, best first, the caller has room for. The others count as left out for the budget. */
  readonly room?: (facts: readonly ScoredFact[]) => number;
  /** Where the question stands in a request, as refusals name it: `body` (422, the default) or `query` (400). */
  readonly place?: 'body' | 'query';
}

/** The scores of one fact in the stages, each from 0 to 1. */
export interface StageScores {
  readonly lexical: number;
  readonly semantic: number;
  readonly graph: number;
}

/** A fact with its score and every factor of it. */
export interface ScoredFact {
  readonly view: FactView;
  readonly score: number;
  readonly stages: StageScores;
  /** The stages, weighted. */
  readonly fused: number;
  /** 1 to 1.5: more than 1 where the query names the speaker or the entity of the fact. */
  readonly named: number;
  readonly salience: Salience;
  /** The distance from a hit: 0 for the hit itself. */
  readonly hops: number;
  readonly tokens: number;
  /** A summary that stands for the facts of the entity, and is in no store. */
  readonly fromCard: boolean;
}

export interface Recalled {
  readonly recallId: string;
  /** SHA-256 of the query, lower-case hex. */
  readonly queryHash: string;
  readonly tokenBudget: number;
  readonly tokensUsed: number;
  /** Candidates that were ranked. */
  readonly totalScored: number;
  /** Best first. */
  readonly facts: readonly ScoredFact[];
  readonly omitted: Omitted;
  readonly degraded: readonly Degradation[];
  /** The members that plugins add, by their ids. */
  readonly members: ReadonlyMap<string, unknown>;
}

/** How many candidates that the caller may see were left out, by the reason. Plugins may add reasons. */
export interface Omitted extends Readonly<Record<string, number>> {
  /** In an unresolved contradiction, as far as the stages have looked. */
  readonly contradicted: number;
  /** That did not fit into the budget. */
  readonly budget: number;
}

/** Finds the facts that matter for a question and fit into a budget. */
export interface Recall {
  /**
   * Answers on one snapshot, counts the facts as used, and leaves an entry in the audit log. Needs `read`. Rejects with
   * `validation`, `invalid_token_budget`, `invalid_weights`, `recall_depth_exceeded` or `session_id_too_long` for a
   * value out of bounds, and with `as_of_invalid_timestamp`, `as_of_future` or `as_of_before_floor` for such a moment.
   * Rejects with `authorization` for a scope that the key does not have, and as gardens do for a garden.
   */
  recall(caller: Principal, question: Question, options?: RecallOptions): Promise<Recalled>;
}

export const Recall = defineRef<Recall>('recall.recall');

/** Why an answer may be poorer than it should be, so that nobody takes it for a whole one. */
export type Degradation = Word;

const Degradations = defineVocabulary<Degradation>('degradation of a recall', /^[a-z][a-z0-9_]*$/);

/** Declares a reason: `defineDegradation('peer_unreachable', { summary: '…' })`. */
export const defineDegradation = (id: string, definition: { readonly summary: string }): Degradation =>
  Degradations.define(id, definition);

/** A member of the answer that a plugin fills. */
export interface RecallMember extends Word {
  readonly json: JsonSchema;
  /** The value of the member where no plugin adds one. */
  readonly absent: unknown;
}

export const RecallMembers = defineVocabulary<RecallMember>('member of a recall', /^[a-z][a-z0-9_]*$/);

/**
 * Claims a member of the answer: `defineRecallMember('as_of', { summary: '…', json: orNull(INSTANT_JSON), absent: null
 * })`. The plugin lists it in `declares` and fills it through `recallAnswer`.
 */
export const defineRecallMember = (
  id: string,
  definition: { readonly summary: string; readonly json: JsonSchema; readonly absent: unknown },
): RecallMember => RecallMembers.define(id, definition);

/** The result of a recall. */
export interface RecallOutcome {
  readonly caller: Principal;
  /** Facts of the store that the caller gets, best first. */
  readonly returned: readonly FactView[];
  /** The same, and those that were chosen and then left out, because they were changed or found no room. */
  readonly chosen: readonly FactView[];
  /** The caller asks for proofs. */
  readonly verify: boolean;
}

/** A plugin's addition to the answer. */
export interface RecallAddition {
  readonly degraded?: readonly Degradation[];
  /** How many facts it left out, by a reason of its own. */
  readonly omitted?: Readonly<Record<string, number>>;
  /** Values of members that it declares (`defineRecallMember`), by their ids. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** After everything else, without a snapshot. A throw fails the recall. */
export const recallAnswer = defineCollectHook<RecallOutcome, RecallAddition>('recall:answer');

/** Counts tokens as recall counts them against a budget. */
export interface TokenCounter {
  /** An integer, 1 or more. */
  count(text: string): number;
}

export const TokenCounter = defineRef<TokenCounter>('recall.token-counter');

/** The request as hooks of recall see it. */
export interface RecallContext {
  readonly caller: Principal;
  /** The snapshot on which the whole recall is answered. */
  readonly reader: FactReader;
  readonly view: SearchView;
  /** Empty in a recall that names an entity only. */
  readonly query: string;
  readonly depth: number;
}

/** Where an expansion starts: facts that the caller is known to see. */
export interface ExpansionContext extends RecallContext {
  readonly seeds: readonly (FactView & { readonly score: number })[];
}

/** A fact that the graph leads to. */
export type LinkedFact = Hit & { readonly hops: number };

/** An entity that the graph leads to. Recall asks the index for its newest facts. */
export interface LinkedEntity {
  /** Match key of the entity. */
  readonly entityKey: string;
  /** The score of a fact about the entity, before its confidence multiplies it. */
  readonly score: number;
  readonly hops: number;
  /** Facts at most. */
  readonly limit: number;
}

export interface Expansion {
  readonly facts: readonly LinkedFact[];
  readonly entities: readonly LinkedEntity[];
}

/**
 * Facts and entities that the graph leads to from the seeds. Their score is that of the seed that leads there, times a
 * factor below 1 for every hop; the best over all seeds and handlers counts. Recall reads the facts as the caller
 * afterwards.
 */
export const recallExpand = defineCollectHook<ExpansionContext, Expansion>('recall:expand');

/** Factors of a fact's score that plugins give; recall keeps them in their ranges. */
export interface FactSignals {
  /** [0, 1], applied as at least 0.05. */
  readonly gardenTier: number;
  /** [0, 1]. */
  readonly access: number;
}

/** The factors of a fact's fused score, each in its range. */
export interface Salience extends FactSignals {
  /** (0, 1]. */
  readonly recency: number;
  /** [0, 1]. */
  readonly confidence: number;
  /** {0.7, 1}. */
  readonly contradiction: number;
  /** [0.5, 1]. */
  readonly sourceTrust: number;
}

/**
 * Once per recall, with all candidates. A handler answers what it knows, by the id of the fact; the last one to say
 * something counts.
 */
export const recallSignal = defineCollectHook<
  RecallContext & { readonly facts: readonly FactView[] },
  ReadonlyMap<string, Partial<FactSignals>>
>('recall:signal');

/** An entity-centric recall without a relation asks whether something short stands for the facts of the entity. */
export interface SummaryRequest extends RecallContext {
  readonly entity: string;
  /** Whether to wait for a fresh one, 500 ms at most. */
  readonly forceRefresh: boolean;
}

/** A summary that stands for the facts of an entity. */
export interface EntitySummary {
  /** A synthetic fact; null lets the facts speak for themselves. */
  readonly fact: FactView | null;
  /** The reasons why the summary may be poorer than it should be. */
  readonly degraded: readonly Degradation[];
}

/**
 * Answers a fresh summary of the entity, made of facts that the caller may read and nothing else. A handler passes on
 * what another has found.
 */
export const recallSummary = defineFilterHook<EntitySummary, SummaryRequest>('recall:summary');
