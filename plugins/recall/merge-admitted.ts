import type { Hit } from '../search/search-api.ts';
import type { Admitted } from './candidate-pool.ts';

/**
 * Merges the hits of several embedders into one list. Their scores are calibrated, and so comparable. A fact that
 * changed embedders between two searches counts once.
 */
export const mergeAdmitted = (stages: readonly Admitted[]): Admitted => {
  const [first = NO_HITS, ...others] = stages;
  if (others.length === 0) return first;
  return {
    hits: bestFirst(stages.flatMap(({ hits }) => hits)),
    contradicted: bestFirst(stages.flatMap(({ contradicted }) => contradicted)),
  };
};

const NO_HITS: Admitted<never> = { hits: [], contradicted: [] };

const bestFirst = (hits: readonly Hit[]): Hit[] => {
  const best = new Map<string, Hit>();
  for (const hit of hits) if (hit.score > (best.get(hit.id)?.score ?? 0)) best.set(hit.id, hit);
  return [...best.values()].sort((a, b) => b.score - a.score);
};
