import { foldWords } from './fold-words.ts';
import { foldLetters } from './languages/fold-letters.ts';
import { isFunctionWord, languageOf } from './languages/judge-language.ts';
import { COMMON } from './languages/text-languages.ts';
import { STOP_WORDS } from './stop-words.ts';
import type { TermCounts } from './term-counts.ts';
import type { TermReader } from './term-reader.ts';

/**
 * Adds the distinct terms of a query to the counts, and returns the text that contains them. Removes stop words of its
 * language unless the query has no other words. The query is text without operators. It is read up to a maximum length,
 * and the index uses its rarest terms.
 */
export const readQueryTerms = (query: string, reader: TermReader, into: TermCounts): string => {
  const text = query.slice(0, MOST_CHARACTERS_READ);
  // A query for `AlphaBeta` means that name. Its parts are common words.
  const sought = withoutStopWords(text).replace(PASCAL_PAIR, (name) => name.toLowerCase());
  reader.read(sought, into, MOST_TERMS_READ);
  if (into.distinct > 0) return sought;
  reader.read(text, into, MOST_TERMS_READ);
  return text;
};

/** Returns the words of a query, except stop words, as terms of the index (`foldWords`). */
export const queryWords = (query: string): ReadonlySet<string> =>
  new Set(foldWords(withoutStopWords(query.slice(0, MOST_CHARACTERS_READ))));

const PASCAL_PAIR = /(?<![\p{L}\p{N}])\p{Lu}\p{Ll}+\p{Lu}\p{Ll}+(?![\p{L}\p{N}])/gu;
const MOST_CHARACTERS_READ = 100_000;
export const MOST_TERMS_READ = 4_096;
const LONGEST_STOP_WORD = 12;
/** Words joined by hyphens count as one here: `up` is a stop word, but not in `up-to-date`. */
const WORD = /[\p{L}\p{N}\p{M}'\u2019]+(?:-[\p{L}\p{N}\p{M}'\u2019]+)*/gu;

const withoutStopWords = (text: string): string => {
  const language = languageOf(text);
  const isStopWord = (word: string): boolean =>
    language === COMMON
      ? STOP_WORDS.has(word.toLowerCase().replace(/['\u2019]/g, ''))
      : isFunctionWord(foldLetters(word), language);
  return text.replace(WORD, (word) => (word.length <= LONGEST_STOP_WORD && isStopWord(word) ? ' ' : word));
};
