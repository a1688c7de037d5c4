import type { Embedder } from '../../kernel/plugin-api.ts';
import type { Spread } from '../search/search-api.ts';

/** The hits of a vector search, and the distribution of the vectors around them. */
export interface Similarities {
  /** The similarities of the hits that the caller may see, best first, all above the floor. */
  readonly hits: readonly number[];
  /** The similarities of the facts that the words stage ranked best. */
  readonly named: readonly number[];
  /** The trust in the words stage, 0 to 1 (`trustInWords`). */
  readonly trust: number;
  /** The distribution of all vectors of the view around the query. */
  readonly spread: Spread;
  /**
   * The same distribution around the query vector after feedback moved it towards the best hits of the words stage;
   * undefined without feedback.
   */
  readonly moved?: Spread | undefined;
}

/** Returns a score from 0 to 1 for a similarity to the query, and optionally to the moved query. */
export type ScoreOf = (similarity: number, toMoved?: number) => number;

/**
 * Converts similarities to one query into scores from 0 to 1. The scale depends on the embedder's vectors, because
 * models differ in what a given cosine means.
 * - A similarity is measured in standard deviations above the mean of the view; `FARTHEST` deviations give a full
 *   score.
 * - The score is multiplied by the share of the vector stage. The share is low if its best hit stands out no more than
 *   the hits of words. It is 1 if its best hit stands out from its next hits and from the hits of words. The less the
 *   hits of words can be trusted, the less the share follows from them.
 * - The more certain the best hit is, the fewer deviations give a full score. A certain best hit gets the full score.
 * - The less certain the best hit is, the more the score relies on the query vector that feedback has moved.
 * - A text that nearly equals the query scores high even if many other texts do.
 */
export const calibration = (
  { hits, named: byWords, trust, spread, moved = spread }: Similarities,
  { similarityFloor: floor }: Pick<Embedder, 'similarityFloor'>,
): ScoreOf => {
  const standing = standingIn(spread, floor);
  const standingOfMoved = standingIn(moved, floor);
  const named = byWords.map(standing);
  const worth = named.length === 0 ? ALONE : besideWords(hits.map(standing), standing(floor), named);
  const { sure, best } = worth;
  const share = 1 - trust * (1 - worth.share);
  const farthest = FARTHEST + sure * (best - FARTHEST);
  const same = 1 - (1 - floor) * NEARLY_SAME;
  return (similarity, toMoved) => {
    const own = standing(similarity);
    const stands = toMoved === undefined ? own : sure * own + (1 - sure) * standingOfMoved(toMoved);
    const far = MOST_BY_STANDING * bounded(stands / farthest) * share;
    return Math.max(far, bounded((similarity - same) / (1 - same)), LEAST_SCORE);
  };
};

const FARTHEST = 5;
/** The maximum score by deviation. Only texts that nearly equal the query score higher. */
const MOST_BY_STANDING = 0.95;
/** A similarity in the upper fifth of the range from the floor to 1 means that two texts nearly equal each other. */
const NEARLY_SAME = 0.2;
/** Every hit needs a score above 0. */
const LEAST_SCORE = 1e-3;

/** The best hit is compared with the hit of this rank, to see whether it stands out. */
const CROWD = 10;
/** A best hit that stands out by `BY_CHANCE` deviations may do so by chance. `FOR_SURE` more make it certain. */
const BY_CHANCE = 1.2;
const FOR_SURE = 0.8;
const LEAST_SHARE = 0.05;
/** If the hits of words are on average this many deviations above the mean, the vector stage adds nothing new. */
const WORDS_SAID_ALL = 4;
const SHARE_PER_DEVIATION = 0.1;

/** The share of its weight that the vector stage gets, and the certainty of its best hit: both from 0 to 1. */
interface Worth {
  readonly share: number;
  readonly sure: number;
  /** The standard deviations of its best hit above the mean. */
  readonly best: number;
}

const ALONE: Worth = { share: 1, sure: 1, best: FARTHEST };

/**
 * Rates the vector stage against the words stage. All numbers are deviations from the mean. Hits missing up to rank
 * `CROWD` count as at most the floor, so a best hit with few others stands out more.
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
 * Adds `PRIOR_COUNT` imaginary unrelated texts to the distribution, because a few facts do not estimate it well. Their
 * similarity lies around the embedder's floor.
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
