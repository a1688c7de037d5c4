import type { FactView } from '../../kernel/plugin-api.ts';
import type { StageScores } from './recall-api.ts';

/** The rank, 1 for the best, and the score of a fact in each stage that found it. */
export type FoundBy = { readonly [K in keyof StageScores]?: { readonly rank: number; readonly score: number } };

/** How a fact came into the answer. */
export interface Why {
  readonly foundBy: FoundBy;
  /** The rank among all candidates; 1 is the best. */
  readonly rank: number;
  /** The position in the order of packing; 1 is the first. */
  readonly packed: number;
}

/** The steps that leave facts out, in their order; `returned` for a fact that is in the answer. */
export const WHY_NOT_STAGES = [
  'unknown',
  'not_live',
  'filtered',
  'contradicted',
  'card',
  'not_found',
  'depth',
  'repeated',
  'variety',
  'budget',
  'limit',
  'changed',
  'returned',
] as const;

export type WhyNotStage = (typeof WHY_NOT_STAGES)[number];

/** The step of a recall that left a fact out. */
export interface WhyNot {
  readonly id: string;
  readonly stage: WhyNotStage;
  /** The member of the request that left the fact out, or the id of the fact that took its place. */
  readonly by?: string | undefined;
  readonly foundBy?: FoundBy | undefined;
  readonly score?: number | undefined;
  readonly rank?: number | undefined;
}

/** Sets the step for facts that a later check removed from the answer. */
export const withStepFor = (
  whyNot: readonly WhyNot[] | undefined,
  kept: readonly { readonly view: FactView }[],
  stage: WhyNotStage,
): readonly WhyNot[] | undefined => {
  if (whyNot === undefined) return undefined;
  const ids = new Set(kept.map(({ view }) => view.fact.id));
  return whyNot.map((one) => (one.stage === 'returned' && !ids.has(one.id) ? { ...one, stage } : one));
};
