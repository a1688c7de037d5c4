import type { Hit } from '../search/search-api.ts';
import type { StageScores } from './recall-api.ts';
import type { StageWeights } from './stage-weights.ts';

export interface StageHits {
  readonly lexical: readonly Hit[];
  readonly semantic: readonly Hit[];
  readonly graph: readonly Hit[];
}

/**
 * Scores by fact, each divided by the best of its stage; a fact that a stage did not find has 0 there. Where words
 * found something, scores of vectors stay as they were calibrated: the best of them may be worth little beside those.
 */
export const normaliseStages = (stages: StageHits): Map<string, StageScores> => {
  const scores = new Map<string, { -readonly [K in keyof StageScores]: StageScores[K] }>();
  for (const stage of ['lexical', 'semantic', 'graph'] as const) {
    // A plugin may have scored some of them: a hit without a valid score does not count.
    const hits = stages[stage].filter(({ score }) => score > 0 && Number.isFinite(score));
    const isCalibrated = stage === 'semantic' && stages.lexical.length > 0;
    const best = hits.reduce((most, { score }) => Math.max(most, score), isCalibrated ? 1 : 0);
    for (const { id, score } of hits) {
      const known = scores.get(id);
      if (known !== undefined) known[stage] = score / best;
      else scores.set(id, { lexical: 0, semantic: 0, graph: 0, [stage]: score / best });
    }
  }
  return scores;
};

/** 0 to 1. `recency` and `sourceTrust` are terms only where the caller gave them a weight. */
export const fuse = (
  scores: StageScores,
  terms: { readonly recency: number; readonly sourceTrust: number },
  weights: StageWeights,
): number =>
  weights.lexical * scores.lexical +
  weights.vector * scores.semantic +
  weights.graph * scores.graph +
  weights.recency * terms.recency +
  weights.sourceTrust * terms.sourceTrust;
