import type { FactJson } from '../../kernel/plugin-api.ts';
import type { ScoredFact } from './recall-pipeline.ts';

/** One entry of the recall answer (wire contract 6.1); the breakdown holds every factor of the score. */
export const scoredFactJson = (
  { view, score, stages, fused, salience, hops, tokens, fromCard }: ScoredFact,
  factJson: FactJson,
) => ({
  fact: factJson(view),
  score,
  hop_distance: hops,
  token_estimate: tokens,
  from_card: fromCard,
  score_breakdown: {
    lexical: stages.lexical,
    semantic: stages.semantic,
    graph: stages.graph,
    fused,
    recency: salience.recency,
    confidence: salience.confidence,
    access: salience.access,
    contradiction: salience.contradiction,
    garden_tier: salience.gardenTier,
    source_trust: salience.sourceTrust,
    weighted_total: score,
  },
});
