import type { Hit } from '../search/search-api.ts';

/**
 * A best hit by words below this share of the query is weak: it shares a name or a common word with the query. A text
 * of usual length that holds every word once reaches 0.42. The median of conversations is 0.28, that of abstracts 0.42.
 */
const WEAK = 0.15;
/** How fast the trust falls below `WEAK`. Measured on conversations and on three made-up sets. */
const STEEPNESS = 3;
/** A fact that only words have found still needs a score. */
const LEAST = 1e-3;

/**
 * Returns the share of the query, 0 to 1, that the best hit by words holds. Words count by their weight, so a common
 * word is a small share. 1 if the index gives no bound.
 */
export const shareOfQuery = (byWords: readonly Hit[], bound: number | undefined): number =>
  bound === undefined || bound <= 0 ? 1 : Math.min(1, (byWords[0]?.score ?? 0) / bound);

/** Returns the trust in the words stage, 0 to 1. It is below 1 if even the best hit by words is weak. */
export const trustInWords = (share: number): number => Math.max(LEAST, Math.min(1, share / WEAK) ** STEEPNESS);
