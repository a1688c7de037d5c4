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

/** The maximum number of terms of a search: a long query is searched by its rarest words. */
export const MOST_TERMS = 64;

/**
 * Returns the score that no text exceeds: the weights of all words of a query. A word that occurs nowhere counts as one
 * that is as rare as a word can be. `terms` are those that occur; forms of one word count once.
 */
export const scoreBound = (
  terms: readonly { readonly word: number; readonly weight: number }[],
  words: number,
  documents: number,
): number => {
  const weights = new Map(terms.map(({ word, weight }) => [word, weight]));
  const missing = Math.min(words, MOST_TERMS) - weights.size;
  return [...weights.values()].reduce((sum, weight) => sum + weight, Math.max(0, missing) * termWeight(documents, 0));
};
