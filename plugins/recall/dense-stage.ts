import type { Hit, SearchIndex, SearchView } from '../search/search-api.ts';
import { calibration } from './calibrate-similarity.ts';
import type { Admitted, Search } from './candidate-pool.ts';
import type { QueryVector } from './embed-query.ts';

/** The search by the vectors of one embedder. */
export interface DenseStage {
  readonly search: Search;
  /**
   * Scores from 0 to 1 that mean the same for every embedder. Takes those hits of the search that were admitted, so
   * that what may not be shown never outshines what may, and what words found, best first.
   */
  calibrate(admitted: Admitted, byWords: readonly Hit[]): Promise<Admitted>;
}

/** Of what words found, as many tell whether vectors say the same. */
const MOST_BY_WORDS = 10;

export const denseStage = (
  { vector, embedder }: QueryVector,
  view: SearchView,
  index: Pick<SearchIndex, 'dense' | 'spread'>,
): DenseStage => ({
  search: (limit, contested) =>
    index.dense(vector, embedder.similarityFloor, { ...view, contested }, limit, embedder.id),
  async calibrate({ hits, contradicted }, byWords) {
    if (hits.length === 0 && contradicted.length === 0) return { hits, contradicted };
    const named = byWords.slice(0, MOST_BY_WORDS).map(({ id }) => id);
    const spread = await index.spread(vector, named, view, embedder.id);
    const scoreOf = calibration({ hits: hits.map(({ score }) => score), spread }, embedder);
    const scored = ({ id, score }: Hit): Hit => ({ id, score: scoreOf(score) });
    return { hits: hits.map(scored), contradicted: contradicted.map(scored) };
  },
});

/**
 * One list of what the stages of several embedders found. Their scores are calibrated, each among its own, and so mean
 * the same. A fact that moved from one to the other between two searches counts once.
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
