import {
  defineCollectHook,
  defineFilterHook,
  defineRef,
  type FactReader,
  type FactView,
  type Principal,
} from '../../kernel/plugin-api.ts';
import type { Hit, SearchView } from '../search/search-api.ts';

/** Counts tokens as recall counts them against a budget. */
export interface TokenCounter {
  /** An integer, 1 or more. */
  count(text: string): number;
}

export const TokenCounter = defineRef<TokenCounter>('recall.token-counter');

/** What the hooks of recall know of a request. */
export interface RecallContext {
  readonly caller: Principal;
  /** The snapshot on which the whole recall is answered. */
  readonly reader: FactReader;
  readonly view: SearchView;
  /** Empty in a recall that names an entity only. */
  readonly query: string;
  readonly depth: number;
}

/** What an expansion starts from. */
export interface ExpansionContext extends RecallContext {
  readonly seeds: readonly (FactView & { readonly score: number })[];
  /**
   * The newest live facts about an entity, by its match key, that the view holds, scored by their confidence. Found in
   * the index, whatever else is or was said about the entity, so that a well-known one costs no more than another.
   */
  newestAbout(entityKey: string, limit: number): Promise<readonly Hit[]>;
}

/**
 * Facts that the graph leads to from the seeds, which the caller is known to see. The score of a fact is that of the
 * seed which leads to it, times a factor below 1 for every hop; the best over all seeds and handlers counts. Ids are
 * read as the caller afterwards.
 */
export const recallExpand = defineCollectHook<ExpansionContext, readonly (Hit & { readonly hops: number })[]>(
  'recall:expand',
);

/** What plugins say about the standing of a fact; recall keeps them in their ranges. */
export interface FactSignals {
  /** [0, 1], applied as at least 0.05. */
  readonly gardenTier: number;
  /** [0, 1]. */
  readonly access: number;
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
  /** Whether to wait for a fresh one, within the bound that the specification sets. */
  readonly forceRefresh: boolean;
}

/** What was found to stand for an entity. */
export interface EntitySummary {
  /** A synthetic fact; null lets the facts speak for themselves. */
  readonly fact: FactView | null;
  /** A fresh one was to be waited for, and took too long. */
  readonly timedOut: boolean;
}

/**
 * Answers a fresh summary of the entity, made of facts that the caller may read and nothing else. A handler passes on
 * what another has found.
 */
export const recallSummary = defineFilterHook<EntitySummary, SummaryRequest>('recall:summary');
