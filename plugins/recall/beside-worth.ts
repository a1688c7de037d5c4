import type { Hit } from '../search/search-api.ts';

/**
 * What stands beside the seeds in their sessions is worth as much as the seeds are told apart, 0.1 to 1. Where one of
 * them is far better than the tenth, what was said around it is to the point. Where ten are alike, because all that
 * they share with the question is one name for example, what stands beside any of them stands there by chance.
 */
export const besideWorth = (seeds: readonly Hit[]): number => {
  const scores = seeds.map(({ score }) => score).sort((a, b) => b - a);
  const alike = (scores[CROWD - 1] ?? 0) / (scores[0] || 1);
  return Math.min(1, Math.max(LEAST, (1 - alike) / TOLD_APART));
};

/** Rank of the seed from which the best one has to stand out. */
const CROWD = 10;
/** Part of the best score by which it does so for all of the worth. Measured on conversations. */
const TOLD_APART = 0.4;
/** What was found stays found. */
const LEAST = 0.1;
