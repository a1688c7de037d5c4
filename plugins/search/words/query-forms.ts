import type { LanguageNumber } from './languages/text-languages.ts';
import { MOST_TERMS_READ, readQueryTerms } from './query-terms.ts';
import { TermCounts } from './term-counts.ts';
import type { TermReader } from './term-reader.ts';

/**
 * Adds the terms of a query to the counts, and the stems of each word in all given languages, because a few words do
 * not reveal their language. Returns the word of each term, by number: terms of one word are alternatives.
 */
export const readQueryForms = (
  query: string,
  reader: TermReader,
  languages: readonly LanguageNumber[],
  into: TermCounts,
): readonly number[] => {
  const sought = readQueryTerms(query, reader, into);
  const wordOf = Array.from({ length: into.distinct }, (_, at) => at);
  if (languages.length === 0) return wordOf;
  const wordOfTerm = new Map(wordOf.map((at) => [termAt(into, at), at]));
  const alone = new TermCounts();
  // Capitals would split a word in camel case into its parts.
  for (const chunk of latinWords(sought.toLowerCase())) {
    alone.clear();
    reader.read(chunk, alone);
    const word = wordOfTerm.get(termAt(alone, 0));
    if (word === undefined || alone.distinct !== 1) continue;
    for (const language of languages) {
      reader.read(chunk, into, MOST_TERMS_READ, language);
      while (wordOf.length < into.distinct) wordOf.push(word);
    }
  }
  return wordOf;
};

/** Splits a text into words. Two words joined by a hyphen also count as one, as in `TermReader`. */
const latinWords = (text: string): readonly string[] =>
  (text.match(LATIN_CHAIN) ?? []).flatMap((chain) => {
    const words = chain.split('-');
    return words.length === 2 ? [...words, words.join('')] : words;
  });

const LATIN_CHAIN = /[\p{Script=Latin}\p{M}'\u2019]+(?:-[\p{Script=Latin}\p{M}'\u2019]+)*/gu;

const termAt = ({ hi, lo }: TermCounts, at: number): string => `${hi[at]}:${lo[at]}`;
