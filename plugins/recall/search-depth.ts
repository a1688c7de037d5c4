import { MAX_LIMIT, type RecallRequest } from './recall-request.ts';

/** How many facts each search of one recall brings back at most, besides those that may not be shown. */
export interface SearchDepth {
  /** Of what a stage finds. */
  readonly stage: number;
  /** Of the facts of an entity that is asked about. */
  readonly entity: number;
}

/**
 * What a stage finds at first for a budget of 2,000 tokens. With what stands beside them they fill it with facts of
 * usual length: measured on conversations, 120 bring back no more of the evidence, and cost a third more.
 */
export const STAGE_DEPTH = 64;
/** A caller who asks about an entity wants all of its facts, not the best of many. */
const ENTITY_DEPTH = 120;
/** What plugins lead to is read in any case; they bound it themselves. */
export const LINKED_DEPTH = MAX_LIMIT;
/** Facts of usual length, with what stands beside them, take twice as much. */
const TOKENS_PER_HIT = 31;

/** As deep as the budget is likely to need, and never deeper than `limit`. */
export const firstDepth = ({ limit, tokenBudget }: Pick<RecallRequest, 'limit' | 'tokenBudget'>): SearchDepth =>
  depthOf(Math.max(STAGE_DEPTH, Math.min(limit, Math.floor(tokenBudget / TOKENS_PER_HIT))));

/** As deep as the limit: a search that is asked so brings back all that an answer can hold. */
export const fullDepth = ({ limit }: Pick<RecallRequest, 'limit'>): SearchDepth =>
  depthOf(Math.max(2 * STAGE_DEPTH, limit));

const depthOf = (stage: number): SearchDepth => ({ stage, entity: Math.max(ENTITY_DEPTH, stage) });

/**
 * Whether an answer may lack facts because its searches stopped at the first depth: there is room for another one like
 * those that are in.
 */
export const wantsMore = (
  packed: readonly { readonly tokens: number }[],
  { limit, tokenBudget }: Pick<RecallRequest, 'limit' | 'tokenBudget'>,
): boolean => {
  if (packed.length >= limit) return false;
  if (firstDepth({ limit, tokenBudget }).stage >= fullDepth({ limit }).stage) return false;
  const used = packed.reduce((sum, { tokens }) => sum + tokens, 0);
  return tokenBudget - used >= used / Math.max(1, packed.length);
};
