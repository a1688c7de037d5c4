import { MAX_LIMIT, type RecallRequest } from './recall-request.ts';
import { neededStages } from './stage-weights.ts';

/** How many facts each search of one recall brings back at most, besides those that may not be shown. */
export interface SearchDepth {
  /** Facts of one stage. */
  readonly stage: number;
  /** Of the facts of an entity that is asked about. */
  readonly entity: number;
  /** For how many a search goes on past facts that are left out; 0 for a first look, which has half of its depth. */
  readonly wanted: number;
}

/**
 * Facts that a stage finds at first for a budget of 2,000 tokens. With their neighbours they fill it with facts of
 * usual length: measured on conversations, 120 bring back no more of the evidence, and cost a third more.
 */
export const STAGE_DEPTH = 64;
/** The same where words and vectors are both asked: measured there, 64 of each bring back no more either. */
export const DEPTH_OF_BOTH = 44;
/** A caller who asks about an entity wants all of its facts, not the best of many. */
const ENTITY_DEPTH = 120;
/** Facts that plugins lead to are read in any case; plugins bound them themselves. */
export const LINKED_DEPTH = MAX_LIMIT;
/** The budget that the depths are measured for. */
const USUAL_BUDGET = 2_000;

type DepthRequest = Pick<RecallRequest, 'limit' | 'tokenBudget' | 'weights'>;

/** As deep as the budget is likely to need, and never deeper than `limit`. */
export const firstDepth = ({ limit, tokenBudget, weights }: DepthRequest): SearchDepth => {
  const needed = neededStages(weights);
  const usual = needed.lexical && needed.vector ? DEPTH_OF_BOTH : STAGE_DEPTH;
  const stage = Math.max(usual, Math.min(limit, Math.floor((usual * tokenBudget) / USUAL_BUDGET)));
  const full = fullDepth({ limit });
  // Nothing comes after a first look that is as deep.
  return depthOf(stage, stage >= full.stage ? full.wanted : 0);
};

/** As deep as the limit: a search that is asked so brings back all that an answer can hold. */
export const fullDepth = ({ limit }: Pick<RecallRequest, 'limit'>): SearchDepth =>
  depthOf(Math.max(2 * STAGE_DEPTH, limit), limit);

const depthOf = (stage: number, wanted: number): SearchDepth => ({
  stage,
  entity: Math.max(ENTITY_DEPTH, stage),
  wanted,
});

/**
 * Whether an answer may lack facts because its searches stopped at the first depth: there is room for another one like
 * those that are in.
 */
export const wantsMore = (packed: readonly { readonly tokens: number }[], asked: DepthRequest): boolean => {
  const { limit, tokenBudget } = asked;
  if (packed.length >= limit) return false;
  if (firstDepth(asked).stage >= fullDepth(asked).stage) return false;
  const used = packed.reduce((sum, { tokens }) => sum + tokens, 0);
  return tokenBudget - used >= used / Math.max(1, packed.length);
};
