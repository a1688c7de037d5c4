import type { Embedder } from '../../kernel/plugin-api.ts';
import type { Spread } from '../search/search-api.ts';

/** The hits of a vector search, and the distribution of the vectors around them. */
export interface Similarities {
  /** The similarities of the hits that the caller may see, best first, all above the floor. */
  readonly hits: readonly number[];
  /** The similarities of the facts that the words of the query found best. */
  readonly named: readonly number[];
  /** The distribution of all vectors of the view around the query. */
  readonly spread: Spread;
  /**
   * The same distribution around the query after feedback moved it towards the best hits of words; undefined without
   * feedback.
   */
  readonly moved?: Spread | undefined;
}

/** Returns a score from 0 to 1 for a similarity to the query, and optionally to the moved query. */
export type ScoreOf = (similarity: number, toMoved?: number) => number;

/**
 * Turns a similarity to this query into a score from 0 to 1. The scale follows the vectors of the embedder, because
 * the same cosine means near for one model and nothing for another.
 *
 * 1. A similarity counts in deviations from the mean of the view, five being the most.
 * 2. The vector stage gets a share of the score for the amount that it adds to the hits of words. The share is least
 *    when its best hit stands out no further than the best hits of words. It is whole when its best hit stands out from
 *    the next ones and from the best hit of words.
 * 3. A surer stage needs a smaller deviation for a full score: the best hit of a sure stage has the full score.
 * 4. A less sure stage relies more on the query that the words have moved.
 * 5. A text that is nearly the query is a hit, even if many such texts exist.
 */
export const calibration = (
  { hits, named: byWords, spread, moved = spread }: Similarities,
  { similarityFloor: floor }: Pick<Embedder, 'similarityFloor'>,
): ScoreOf => {
  const standing = standingIn(spread, floor);
  const standingOfMoved = standingIn(moved, floor);
  const named = byWords.map(standing);
  const { share, sure, best } = named.length === 0 ? ALONE : besideWords(hits.map(standing), standing(floor), named);
  const farthest = FARTHEST + sure * (best - FARTHEST);
  const same = 1 - (1 - floor) * NEARLY_SAME;
  return (similarity, toMoved) => {
    const own = standing(similarity);
    const stands = toMoved === undefined ? own : sure * own + (1 - sure) * standingOfMoved(toMoved);
    const far = MOST_BY_STANDING * bounded(stands / farthest) * share;
    return Math.max(far, bounded((similarity - same) / (1 - same)), LEAST_SCORE);
  };
};

/** The number of standard deviations above the mean that give a full score. */
const FARTHEST = 5;
/** The highest score by deviation. Only texts that nearly equal the query score higher. */
const MOST_BY_STANDING = 0.95;
/** The share of the range from the floor to 1, at its upper end, in which two texts nearly equal each other. */
const NEARLY_SAME = 0.2;
/** Every hit needs a score above 0. */
const LEAST_SCORE = 1e-3;

/** The rank of the hit from which the best one must stand out. */
const CROWD = 10;
/**
 * The number of deviations by which a best hit may stand out by chance, and the further number that gives the stage its
 * whole weight.
 */
const BY_CHANCE = 1.2;
const FOR_SURE = 0.8;
const LEAST_SHARE = 0.05;
/** If the hits of words are at least this many deviations above the mean, the vector stage adds nothing new. */
const WORDS_SAID_ALL = 4;
const SHARE_PER_DEVIATION = 0.1;

/** The share of its weight that the vector stage gets beside words, and the certainty of its best hit: 0 to 1. */
interface Worth {
  readonly share: number;
  readonly sure: number;
  /** The deviations by which its best hit stands out. */
  readonly best: number;
}

const ALONE: Worth = { share: 1, sure: 1, best: FARTHEST };

/**
 * Rates the vector stage beside words; all numbers are deviations from the mean. Missing hits count as at the floor at
 * most, so that fewer hits above it make a weaker crowd.
 */
const besideWords = (hits: readonly number[], floor: number, named: readonly number[]): Worth => {
  const best = hits[0] ?? floor;
  const crowd = Math.max(0, hits[CROWD - 1] ?? (floor * hits.length) / CROWD);
  const byWords = Math.max(0, named.reduce((sum, one) => sum + one, 0) / named.length);
  const share = Math.max(LEAST_SHARE, SHARE_PER_DEVIATION * (WORDS_SAID_ALL - byWords));
  const sure = bounded((best - crowd - byWords - BY_CHANCE) / FOR_SURE);
  return { share: share + (1 - share) * sure, sure, best };
};

const standingIn = (spread: Spread, floor: number): ((similarity: number) => number) => {
  const { mean, deviation } = withPrior(spread, floor);
  return (similarity) => (similarity - mean) / deviation;
};

/**
 * A few facts say little about the distribution of texts. So the estimate adds some texts with the similarity that the
 * embedder gives to unrelated ones, which is about its floor.
 */
const withPrior = (
  { count, mean, deviation }: Spread,
  floor: number,
): { readonly mean: number; readonly deviation: number } => {
  const usual = (1 - floor) * USUAL_DEVIATION;
  const usualMean = floor - usual;
  const all = count + PRIOR_COUNT;
  const middle = (count * mean + PRIOR_COUNT * usualMean) / all;
  const square =
    (count * (deviation ** 2 + (mean - middle) ** 2) + PRIOR_COUNT * (usual ** 2 + (usualMean - middle) ** 2)) / all;
  return { mean: middle, deviation: Math.sqrt(square) };
};

const PRIOR_COUNT = 8;
const USUAL_DEVIATION = 1 / 8;

const bounded = (value: number): number => Math.min(1, Math.max(0, value));
