/**
 * Okapi BM25. Both constants were measured on conversations and abstracts. The text length counts, so that long texts
 * do not crowd out short facts.
 */
const K1 = 1.4;
const B = 0.6;

/** The weight of a term that occurs in `frequency` of `documents` texts. Above 0 for every term, however common. */
export const termWeight = (documents: number, frequency: number): number =>
  Math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5));

/** K of BM25 for a text of this length, in words. */
export const lengthPenalty = (length: number, meanLength: number): number => K1 * (1 - B + (B * length) / meanLength);

/** The score of a term in one text that contains it `times` times; `k` is the text's `lengthPenalty`. */
export const termScore = (weight: number, times: number, k: number): number => (weight * times) / (times + k);
