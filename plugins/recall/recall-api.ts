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
import type { FactNarrowing } from '../facts/facts-api.ts';
import type { Hit, SearchView } from '../search/search-api.ts';
import type { Why, WhyNot } from './why-not.ts';

/** A question of a caller. A member that is left out has its default. */
export interface Question extends FactNarrowing {
  /** Text of 1 character to 16 KiB; optional if an entity is given. */
  readonly query?: string | undefined;
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  /** Relations whose facts are left out. */
  readonly excludedRelations?: readonly string[] | undefined;
  /** The maximum number of tokens, 1 to 200,000. */
  readonly tokenBudget: number;
  /** The number of hops of graph expansion, 0 to 2; 1 by default. */
  readonly depth?: number | undefined;
  /**
   * Weights from 0 to 1 of `lexical`, `vector`, `graph`, `source_trust` and `recency`, which add up to 1. If any weight
   * is given, a missing one counts as 0.
   */
  readonly weights?: Readonly<Record<string, number | null>> | undefined;
  /** `global` (the default) for all scopes of the caller, a scope, or a garden: its URI, its id or `garden:<slug>`. */
  readonly scope?: string | undefined;
  /** 0 to 1, 0.7 by default: 1 packs by score alone, lower values prefer facts that add something new. */
  readonly lambdaMmr?: number | undefined;
  /** The least confidence after trust in the source, 0 to 1; 0.1 by default. */
  readonly minConfidence?: number | undefined;
  /** Waits up to half a second for a fresh summary of the entity. */
  readonly forceRefresh?: boolean | undefined;
  /** Includes facts in an unresolved contradiction. */
  readonly includeContradicted?: boolean | undefined;
  /** False switches graph expansion off. */
  readonly includeNeighbors?: boolean | undefined;
  /** The maximum number of facts, 1 to 500; 100 by default. */
  readonly limit?: number | undefined;
  /** Counts only this many bytes of each value, because the caller cuts longer ones; at least 1. */
  readonly maxValueBytes?: number | undefined;
  /** `lift` (the default) raises the scores of facts about a time that the query names; `ignore` does not. */
  readonly time?: 'lift' | 'ignore' | undefined;
  /** Adds to each fact the stages that found it and its ranks. */
  readonly explain?: boolean | undefined;
  /** Ids of at most 20 facts. The answer names, for each, the step of the recall that left it out. */
  readonly whyNot?: readonly string[] | undefined;
  /**
   * An instant (RFC 3339) or a stamp: what this node would have recalled then, with the rights of today. Cards and
   * recall counts are not used, and the recall does not count as use.
   */
  readonly asOf?: string | undefined;
}

export interface RecallOptions {
  /** The name of the session in which the facts are read, up to 128 characters without surrounding white space. */
  readonly session?: string | undefined;
  /** Requests proofs of the recalled facts from plugins. */
  readonly verify?: boolean;
  /**
   * Returns how many of the facts, best first, the caller has room for. The others count as left out for the budget.
   */
  readonly room?: (facts: readonly ScoredFact[]) => Promise<number>;
  /** The part of a request that holds the question, which refusals name: `body` (422, the default) or `query` (400). */
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
  /** The weighted sum of the stage scores. */
  readonly fused: number;
  /** 1 to 1.5: more than 1 if the query names the speaker or the entity of the fact. */
  readonly named: number;
  /** 1 to 1.5: more than 1 if the fact is of a time that the query names, or near it. */
  readonly timed: number;
  readonly salience: Salience;
  /** The distance from a hit: 0 for the hit itself. */
  readonly hops: number;
  readonly tokens: number;
  /** True for a summary of the entity's facts, which is not in the store. */
  readonly fromCard: boolean;
  /** Ids of facts that say the same and are left out, best first. */
  readonly copies?: readonly string[];
  /** Present if the question asks to explain. */
  readonly why?: Why;
}

export interface Recalled {
  readonly recallId: string;
  /** SHA-256 of the query, lower-case hex. */
  readonly queryHash: string;
  readonly tokenBudget: number;
  readonly tokensUsed: number;
  /** The number of ranked candidates. */
  readonly totalScored: number;
  /** Best first. */
  readonly facts: readonly ScoredFact[];
  readonly omitted: Omitted;
  readonly degraded: readonly Degradation[];
  /** The members that plugins add, by their ids. */
  readonly members: ReadonlyMap<string, unknown>;
  /** One for each fact that `whyNot` names. */
  readonly whyNot?: readonly WhyNot[] | undefined;
}

/** The number of visible candidates that were left out, by reason. Plugins may add reasons. */
export interface Omitted extends Readonly<Record<string, number>> {
  /** Candidates in an unresolved contradiction, as far as the stages searched. */
  readonly contradicted: number;
  /** Candidates that did not fit into the budget. */
  readonly budget: number;
  /** Candidates that say the same as a better one. */
  readonly repeated: number;
}

/** Finds the facts that are relevant to a question and fit into a budget. */
export interface Recall {
  /**
   * Answers on one snapshot, counts the facts as used, and writes an entry to the audit log. Needs `read`. Rejects with
   * `validation`, `invalid_token_budget`, `invalid_weights`, `recall_depth_exceeded` or `session_id_too_long` for a
   * value out of bounds. An invalid moment rejects with `as_of_invalid_timestamp`, `as_of_future` or
   * `as_of_before_floor`. Rejects with `authorization` for a scope that the key does not have, and as gardens do for a
   * garden.
   */
  recall(caller: Principal, question: Question, options?: RecallOptions): Promise<Recalled>;
}

export const Recall = defineRef<Recall>('recall.recall');

/** A reason why an answer may be incomplete, so that callers do not take it for a complete one. */
export type Degradation = Word;

const Degradations = defineVocabulary<Degradation>('degradation of a recall', /^[a-z][a-z0-9_]*$/);

/** Declares a reason: `defineDegradation('peer_unreachable', { summary: '…' })`. */
export const defineDegradation = (id: string, definition: { readonly summary: string }): Degradation =>
  Degradations.define(id, definition);

/** A member of the answer that a plugin fills. */
export interface RecallMember extends Word {
  readonly json: JsonSchema;
  /** The value of the member if no plugin sets it. */
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
  /** Facts of the store that the caller receives, best first. */
  readonly returned: readonly FactView[];
  /** The returned facts and the chosen ones that were then left out, because they were changed or found no room. */
  readonly chosen: readonly FactView[];
  /** True if the caller requests proofs. */
  readonly verify: boolean;
}

/** A plugin's addition to the answer. */
export interface RecallAddition {
  readonly degraded?: readonly Degradation[];
  /** The number of facts that the plugin left out, by reason. */
  readonly omitted?: Readonly<Record<string, number>>;
  /** Values of the members that the plugin declares (`defineRecallMember`), by their ids. */
  readonly members?: Readonly<Record<string, unknown>>;
}

/** Called after everything else, without a snapshot. A handler that throws fails the recall. */
export const recallAnswer = defineCollectHook<RecallOutcome, RecallAddition>('recall:answer');

/** Counts tokens in the same way as the budget of a recall. */
export interface TokenCounter {
  /** Returns an integer of 1 or more. */
  count(text: string): number;
}

export const TokenCounter = defineRef<TokenCounter>('recall.token-counter');

/** The request, as hooks of recall receive it. */
export interface RecallContext {
  readonly caller: Principal;
  /** The snapshot that answers the whole recall. */
  readonly reader: FactReader;
  readonly view: SearchView;
  /** The query; empty in a recall that names only an entity. */
  readonly query: string;
  readonly depth: number;
}

/** The start of an expansion: facts that the caller is known to see. */
export interface ExpansionContext extends RecallContext {
  readonly seeds: readonly (FactView & { readonly score: number })[];
  /** True if the request leaves out facts, so that a weak neighbour may be the only one with a fact that fits. */
  readonly isNarrowed: boolean;
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
  /** The maximum number of facts. */
  readonly limit: number;
}

export interface Expansion {
  readonly facts: readonly LinkedFact[];
  readonly entities: readonly LinkedEntity[];
}

/**
 * Collects the facts and entities that the graph leads to from the seeds. Their score is that of the seed, times a
 * factor below 1 for every hop. The best over all seeds and handlers counts. Recall then reads the facts with the
 * rights of the caller. A seed with a very large value may come without it: see `StoredFact.unreadBytes`.
 */
export const recallExpand = defineCollectHook<ExpansionContext, Expansion>('recall:expand');

/** Factors of a fact's score from plugins; recall limits them to their ranges. */
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
 * Called once per recall, with all candidates. A handler returns the factors that it knows, by the id of the fact. If
 * several return one, the last counts. A fact with a very large value may come without it: see
 * `StoredFact.unreadBytes`.
 */
export const recallSignal = defineCollectHook<
  RecallContext & { readonly facts: readonly FactView[] },
  ReadonlyMap<string, Partial<FactSignals>>
>('recall:signal');

/** A request for a summary that replaces the facts of an entity, in a recall about the entity without a relation. */
export interface SummaryRequest extends RecallContext {
  readonly entity: string;
  /** True to wait for a fresh summary, at most 500 ms. */
  readonly forceRefresh: boolean;
}

/** A summary that replaces the facts of an entity. */
export interface EntitySummary {
  /** A synthetic fact; null to use the facts themselves. */
  readonly fact: FactView | null;
  /** The reasons why the summary may be incomplete. */
  readonly degraded: readonly Degradation[];
}

/**
 * Returns a fresh summary of the entity, made only of facts that the caller may read. A handler passes on the summary
 * of an earlier one.
 */
export const recallSummary = defineFilterHook<EntitySummary, SummaryRequest>('recall:summary');
