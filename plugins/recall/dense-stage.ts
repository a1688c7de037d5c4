import type { Hit, SearchIndex, SearchView } from '../search/search-api.ts';
import { calibrateSimilarities, MOST_COMPARED, searchFloor } from './calibrate-similarity.ts';
import type { Admitted, CandidatePool, Search } from './candidate-pool.ts';
import type { QueryVector } from './embed-query.ts';

/** The search by the vectors of one embedder. */
export interface DenseStage {
  readonly search: Search;
  /**
   * Scores that mean the same for every embedder: 0 at its floor, 1 for the same text; those who agree by chance are no
   * hits. Takes those hits of the search that were admitted, so that what may not be shown never outshines what may.
   */
  calibrate(admitted: Admitted): Promise<Admitted>;
}

export const denseStage = (
  { vector, embedder }: QueryVector,
  view: SearchView,
  pool: CandidatePool,
  index: Pick<SearchIndex, 'dense'>,
): DenseStage => {
  const search: Search = (limit, contested) =>
    index.dense(vector, searchFloor(embedder), { ...view, contested }, limit, embedder.id);
  const scored = (hits: readonly Hit[]): Hit[] => {
    const similarities = hits.map(({ score }) => score);
    return calibrateSimilarities(similarities, embedder).map((score, at) => ({ id: (hits[at] as Hit).id, score }));
  };
  const calibrate = ({ hits, contradicted }: Admitted): Admitted => {
    if (contradicted.length === 0) return { hits: scored(hits), contradicted };
    // What is left out would have to be a hit as well, to be missed.
    const all = [...hits, ...contradicted].sort((a, b) => b.score - a.score);
    const left = new Set(contradicted.map(({ id }) => id));
    return { hits: scored(hits), contradicted: scored(all).filter(({ id }) => left.has(id)) };
  };
  if (!embedder.comparesSpelling) return { search, calibrate: async (admitted) => calibrate(admitted) };
  // Only the nearest are compared with each other, so that no more are read while all of them may be shown.
  let compared = 0;
  return {
    search: async (limit, contested) => {
      const nearest = await search(Math.min(limit, MOST_COMPARED), contested);
      compared = nearest.length;
      return nearest;
    },
    calibrate: async (admitted) => {
      if (admitted.hits.length === compared) return calibrate(admitted);
      const [deeper = NO_HITS] = await pool.admit([search]);
      return calibrate({ ...deeper, contradicted: [...admitted.contradicted, ...deeper.contradicted] });
    },
  };
};

const NO_HITS: Admitted<never> = { hits: [], contradicted: [] };

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

const bestFirst = (hits: readonly Hit[]): Hit[] => {
  const best = new Map<string, Hit>();
  for (const hit of hits) if (hit.score > (best.get(hit.id)?.score ?? 0)) best.set(hit.id, hit);
  return [...best.values()].sort((a, b) => b.score - a.score);
};
