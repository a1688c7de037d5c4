import { foldWords } from './fold-words.ts';
import { STOP_WORDS } from './stop-words.ts';
import type { TermCounts } from './term-counts.ts';
import type { TermReader } from './term-reader.ts';

/**
 * Adds the distinct terms of a query to the counts. Stop words are left out unless there is nothing else. The query is
 * text and nothing in it is an operator. A query of any length is read up to a bound; of its terms the index keeps the
 * rarest.
 */
export const readQueryTerms = (query: string, reader: TermReader, into: TermCounts): void => {
  const text = query.slice(0, MOST_CHARACTERS_READ);
  reader.read(withoutStopWords(text), into, MOST_TERMS_READ);
  if (into.distinct === 0) reader.read(text, into, MOST_TERMS_READ);
};

/** The words of a query that are no stop words, as terms of the index (`foldWords`). */
export const queryWords = (query: string): ReadonlySet<string> =>
  new Set(foldWords(withoutStopWords(query.slice(0, MOST_CHARACTERS_READ))));

const withoutStopWords = (text: string): string => text.replace(WORD, (word) => (isStopWord(word) ? ' ' : word));

const MOST_CHARACTERS_READ = 100_000;
const MOST_TERMS_READ = 4_096;
const LONGEST_STOP_WORD = 12;
const WORD = /[\p{L}\p{N}\p{M}'\u2019]+/gu;

const isStopWord = (word: string): boolean =>
  word.length <= LONGEST_STOP_WORD && STOP_WORDS.has(word.toLowerCase().replace(/['\u2019]/g, ''));
