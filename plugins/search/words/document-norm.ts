/**
 * The length of a document in 8 bits, in the manner of Lucene: exact up to 63 words, then in steps of 5 %. Scores use
 * the rounded length, so that one table of 256 numbers normalises all documents of a query.
 */
export const normOf = (length: number): number => {
  if (length <= EXACT_LENGTH) return length;
  return Math.min(255, EXACT_LENGTH + 1 + Math.floor(Math.log(length / (EXACT_LENGTH + 1)) / STEP));
};

/** The length in words that a norm represents. */
export const lengthOfNorm = (norm: number): number =>
  norm <= EXACT_LENGTH ? norm : (EXACT_LENGTH + 1) * Math.exp((norm - EXACT_LENGTH - 1) * STEP);

export const NORMS = 256;

/** The greatest length that a norm represents exactly. */
export const EXACT_LENGTH = 63;
const STEP = Math.log(1.05);
