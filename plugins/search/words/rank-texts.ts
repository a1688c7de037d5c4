import { type HashSeed, TextHasher } from '../index/text-hash.ts';
import { lengthPenalty, termScore, termWeight } from './bm25.ts';
import { languageOf } from './languages/judge-language.ts';
import { COMMON, type LanguageNumber } from './languages/text-languages.ts';
import { readQueryForms } from './query-forms.ts';
import { TermCounts } from './term-counts.ts';
import { TermReader } from './term-reader.ts';

/**
 * Scores texts that are not in the index, with the terms and the formula of the index. Statistics cover only these
 * texts.
 */
export const createTextRanker = (seed: HashSeed) => {
  const reader = new TermReader(new TextHasher(seed));
  const counts = new TermCounts();
  return {
    rank(query: string, texts: readonly string[]): number[] {
      counts.clear();
      const languages = texts.map(languageOf);
      const wordOf = readQueryForms(query, reader, [...new Set(languages)].filter(isForeign), counts);
      // Forms of one word count as one.
      const sought = new Map(termsOf(counts).map(({ term }, place) => [term, wordOf[place] as number]));
      const frequencies = new Uint32Array(sought.size);
      const read = texts.map((text, at) => {
        counts.clear();
        reader.read(text, counts, Number.POSITIVE_INFINITY, languages[at]);
        const found = termsOf(counts).flatMap(({ term, times }) => {
          const place = sought.get(term);
          return place === undefined ? [] : [{ place, times }];
        });
        for (const { place } of found) frequencies[place] = (frequencies[place] as number) + 1;
        // In the order of the query, so that equal texts get equal scores to the last bit.
        return { length: counts.length, found: found.sort((a, b) => a.place - b.place) };
      });
      const meanLength = read.reduce((sum, { length }) => sum + length, 0) / texts.length;
      return read.map(({ length, found }) => {
        const k = lengthPenalty(length, meanLength);
        let score = 0;
        for (const { place, times } of found) {
          score += termScore(termWeight(texts.length, Math.min(texts.length, frequencies[place] as number)), times, k);
        }
        return score;
      });
    },
  };
};

const isForeign = (language: LanguageNumber): boolean => language !== COMMON;

/** Identifies each term by its hash, as the index does. */
const termsOf = ({ hi, lo, times, distinct }: TermCounts): { readonly term: string; readonly times: number }[] =>
  Array.from({ length: distinct }, (_, at) => ({ term: `${hi[at]}:${lo[at]}`, times: times[at] as number }));
