import type { Hit } from '../search/search-api.ts';
import type { StageScores } from './recall-api.ts';
import type { StageWeights } from './stage-weights.ts';

export interface StageHits {
  readonly lexical: readonly Hit[];
  readonly semantic: readonly Hit[];
  readonly graph: readonly Hit[];
  /** The trust in the words stage (`trustInWords`): the factor of its scores beside those of vectors. */
  readonly trust: number;
}

/**
 * Returns the scores by fact, each divided by the best of its stage; 0 for a stage that did not find the fact. If words
 * and vectors found something, both keep their calibration, because even the best hit of either may be weak.
 */
export const normaliseStages = (stages: StageHits): Map<string, StageScores> => {
  const scores = new Map<string, { -readonly [K in keyof StageScores]: StageScores[K] }>();
  for (const stage of ['lexical', 'semantic', 'graph'] as const) {
    // Plugins may have given some of the scores, so a hit without a valid score is ignored.
    const hits = stages[stage].filter(({ score }) => score > 0 && Number.isFinite(score));
    const isCalibrated = stage === 'semantic' && stages.lexical.length > 0;
    const best = hits.reduce((most, { score }) => Math.max(most, score), isCalibrated ? 1 : 0);
    const factor = stages.semantic.length > 0 ? factorOf(stage, stages.trust) : 1;
    for (const { id, score } of hits) {
      const known = scores.get(id);
      if (known !== undefined) known[stage] = (score / best) * factor;
      else scores.set(id, { lexical: 0, semantic: 0, graph: 0, [stage]: (score / best) * factor });
    }
  }
  return scores;
};

/** Returns the factor of a stage beside vectors. Neighbours of weak hits by words count half, because few are right. */
const factorOf = (stage: keyof StageScores, trust: number): number =>
  stage === 'lexical' ? trust : stage === 'graph' ? (1 + trust) / 2 : 1;

/** Returns the weighted sum, 0 to 1. `recency` and `sourceTrust` count only if the caller weights them. */
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
