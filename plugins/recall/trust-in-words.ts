import type { Hit } from '../search/search-api.ts';

/**
 * A best hit by words below this share of the query is weak: it shares a name or a common word with the query. A text
 * of usual length that holds every word once reaches 0.42. On conversations 5 % of the questions lie below, and on
 * abstracts nearly none.
 */
const WEAK = 0.12;
/** How fast the trust falls below `WEAK`. Measured on conversations and on three made-up sets. */
const STEEPNESS = 3;
/** A fact that only words have found still needs a score. */
const LEAST = 1e-3;
/** Below this share the best hits by words would move the vector of the query towards wrong facts. */
const LEAST_FOR_FEEDBACK = 0.15;

/**
 * Returns the share of the query, 0 to 1, that the best hit by words holds. Words count by their weight, so a common
 * word is a small share. 1 if the index gives no bound.
 */
export const shareOfQuery = (byWords: readonly Hit[], bound: number | undefined): number =>
  bound === undefined || bound <= 0 ? 1 : Math.min(1, (byWords[0]?.score ?? 0) / bound);

/** Returns the factor, 0 to 1, of the scores by words. Below 1 if even the best hit is weak. */
export const trustInWords = (share: number): number => Math.max(LEAST, Math.min(1, share / WEAK) ** STEEPNESS);

export const isEnoughForFeedback = (share: number): boolean => share >= LEAST_FOR_FEEDBACK;
