/**
 * Length of a document in 8 bits, as Lucene keeps it: exact up to 63 words, then in steps of 5 %. What is scored is the
 * length that is kept, so that one table of 256 numbers normalises all documents of a query.
 */
export const normOf = (length: number): number => {
  if (length <= EXACT) return length;
  return Math.min(255, EXACT + 1 + Math.floor(Math.log(length / (EXACT + 1)) / STEP));
};

/** Length, in words, that a norm stands for. */
export const lengthOfNorm = (norm: number): number =>
  norm <= EXACT ? norm : (EXACT + 1) * Math.exp((norm - EXACT - 1) * STEP);

export const NORMS = 256;

const EXACT = 63;
const STEP = Math.log(1.05);
