/**
 * Length of a document in 8 bits, as Lucene keeps it: exact up to 63 words, then in steps of 5 %. Scores use the
 * rounded length, so that one table of 256 numbers normalises all documents of a query.
 */
export const normOf = (length: number): number => {
  if (length <= EXACT_LENGTH) return length;
  return Math.min(255, EXACT_LENGTH + 1 + Math.floor(Math.log(length / (EXACT_LENGTH + 1)) / STEP));
};

/** Length, in words, that a norm stands for. */
export const lengthOfNorm = (norm: number): number =>
  norm <= EXACT_LENGTH ? norm : (EXACT_LENGTH + 1) * Math.exp((norm - EXACT_LENGTH - 1) * STEP);

export const NORMS = 256;

/** Longest length that a norm keeps exactly. */
export const EXACT_LENGTH = 63;
const STEP = Math.log(1.05);
