import { cacheByFact, entityDisplay } from '../../kernel/internal-api.ts';
import type { StoredFact } from '../../kernel/plugin-api.ts';
import { foldWords, queryWords } from '../search/search-api.ts';

/**
 * Returns a function that gives the share, 0 to 1, of a fact's name that the query contains. The name is the entity, or
 * the speaker before the first colon of the text, if that matches better. Words are compared as in a search. Create
 * it once per query, because it caches names.
 */
export const namesIn = (query: string): ((fact: StoredFact) => number) => {
  const sought = queryWords(query);
  const known = new Map<string, number>();
  const shareOf = (name: string): number => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const words = [...new Set(foldWords(name))];
    const share = words.length === 0 ? 0 : words.filter((word) => sought.has(word)).length / words.length;
    known.set(name, share);
    return share;
  };
  return (fact) => namesOf(fact).reduce((most, name) => Math.max(most, shareOf(name)), 0);
};

/** Returns the names of a fact's speaker and entity. */
const namesOf = cacheByFact<readonly string[]>(({ entity, value }) =>
  [entityDisplay(entity), labelOf(value)].filter(isName),
);

/**
 * Returns the factor of a fact, 1 to 1.5. `share` is the part of its name that the query contains, and `most` is the
 * largest such share of all facts. So a first name counts in full unless the query names another fact more fully.
 */
export const namedFactor = (share: number, most: number): number => (share > 0 ? 1 + MOST * (share / most) : 1);

const MOST = 0.5;

/** The maximum number of words of a speaker's name; a longer text is a title or a sentence. */
const MOST_WORDS = 3;
const LONGEST = 80;

const isName = (text: string | undefined): text is string =>
  text !== undefined && text.length <= LONGEST && LETTER.test(text) && text.split(BLANKS).length <= MOST_WORDS;

const LETTER = /\p{L}/u;
const BLANKS = /\s+/;

/**
 * Returns the text before a colon that ends a word. The colon of an address scheme or of a time of day does not count.
 */
const labelOf = ({ type, v }: StoredFact['value']): string | undefined => {
  if (type !== 'text' && type !== 'string') return undefined;
  return LABEL.exec(String(v).slice(0, LONGEST + 2))?.[1];
};

const LABEL = /^\s*([^:：\n]+?)\s*(?::(?=\s|$)|：)/u;
