import { MAX_LIMIT, type RecallRequest } from './recall-request.ts';
import { neededStages } from './stage-weights.ts';

/** The maximum number of admissible facts that each search of one recall returns. */
export interface SearchDepth {
  /** The maximum number of facts that the search of one stage returns. */
  readonly stage: number;
  /** The maximum number of facts that the search for a requested entity returns. */
  readonly entity: number;
  /**
   * The number of admissible hits until which a search replaces excluded ones; 0 in a first pass, which needs half of
   * its depth.
   */
  readonly wanted: number;
}

/**
 * The first depth of a stage for a budget of 2,000 tokens, which these facts and their neighbours fill. In a test on
 * conversations, a depth of 120 found no more of the evidence and took a third longer.
 */
export const STAGE_DEPTH = 64;
/** The first depth if both words and vectors are searched. In the same test, 64 of each found no more. */
export const DEPTH_OF_BOTH = 44;
/** The number of facts of a requested entity, larger because the caller wants all of its facts. */
const ENTITY_DEPTH = 120;
/** The number of linked facts. All are read, because plugins limit their number. */
export const LINKED_DEPTH = MAX_LIMIT;
/** The budget in tokens for which the depths were measured. */
const USUAL_BUDGET = 2_000;

type DepthRequest = Pick<RecallRequest, 'limit' | 'tokenBudget' | 'weights'>;

/** Returns the depth that the budget is likely to need. */
export const firstDepth = ({ limit, tokenBudget, weights }: DepthRequest): SearchDepth => {
  const needed = neededStages(weights);
  const usual = needed.lexical && needed.vector ? DEPTH_OF_BOTH : STAGE_DEPTH;
  const stage = Math.max(usual, Math.min(limit, Math.floor((usual * tokenBudget) / USUAL_BUDGET)));
  const full = fullDepth({ limit });
  // If the first pass is as deep as the limit, no second one follows.
  return depthOf(stage, stage >= full.stage ? full.wanted : 0);
};

/** Returns a depth equal to the limit, which finds every fact that an answer can hold. */
export const fullDepth = ({ limit }: Pick<RecallRequest, 'limit'>): SearchDepth =>
  depthOf(Math.max(2 * STAGE_DEPTH, limit), limit);

const depthOf = (stage: number, wanted: number): SearchDepth => ({
  stage,
  entity: Math.max(ENTITY_DEPTH, stage),
  wanted,
});

/**
 * True if an answer may lack facts because its searches stopped at the first depth, and has room for another fact of
 * average size.
 */
export const wantsMore = (packed: readonly { readonly tokens: number }[], asked: DepthRequest): boolean => {
  const { limit, tokenBudget } = asked;
  if (packed.length >= limit) return false;
  if (firstDepth(asked).stage >= fullDepth(asked).stage) return false;
  const used = packed.reduce((sum, { tokens }) => sum + tokens, 0);
  return tokenBudget - used >= used / Math.max(1, packed.length);
};
