import type { Hit } from '../search-api.ts';
import type { SessionSides } from './session-sides.ts';

/** The share of a seed's score that its neighbours in the session get, by their distance. */
export const NEIGHBOUR_WEIGHTS: readonly number[] = [0.4, 0.3, 0.2, 0.1];

/**
 * Returns documents near the seeds in their sessions, each with the highest score that one seed gives it. Many weak
 * seeds around a fact do not make it more relevant. Distances count only facts that the view may find.
 */
export const sessionNeighbours = (
  sides: SessionSides,
  tenantId: string,
  seeds: readonly Hit[],
  weights: readonly number[] = NEIGHBOUR_WEIGHTS,
): Map<number, number> => {
  const scores = new Map<number, number>();
  for (const { id, score } of seeds) {
    const seed = sides.documentOf(tenantId, id);
    if (seed < 0) continue;
    const { before, after } = sides.of(seed);
    for (const side of [before, after]) {
      for (let at = 0; at < side.length && at < weights.length; at += 1) {
        const document = side[at] as number;
        const given = score * (weights[at] as number);
        if (given > (scores.get(document) ?? 0)) scores.set(document, given);
      }
    }
  }
  return scores;
};
