import { cacheByFact, entityDisplay } from '../../kernel/internal-api.ts';
import type { StoredFact } from '../../kernel/plugin-api.ts';
import { foldWords, queryWords } from '../search/search-api.ts';

/**
 * Returns for each fact the share of a name that the query holds, 0 to 1. The name is that of the speaker, which stands
 * before the first colon of a text, or that of the entity; of both the one that is named more counts. Words are
 * compared as the search compares them. Made for one query: it keeps the names that it has met.
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

/** The names that a fact goes by. */
const namesOf = cacheByFact<readonly string[]>(({ entity, value }) =>
  [entityDisplay(entity), labelOf(value)].filter(isName),
);

/**
 * The factor of a fact, 1 to 1.5. `share` is how much of its name the query holds, `most` how much of any: a first name
 * names in full where nobody is named better.
 */
export const namedFactor = (share: number, most: number): number => (share > 0 ? 1 + MOST * (share / most) : 1);

const MOST = 0.5;

/** A text of more words is a title or a sentence. */
const MOST_WORDS = 3;
const LONGEST = 80;

const isName = (text: string | undefined): text is string =>
  text !== undefined && text.length <= LONGEST && LETTER.test(text) && text.split(BLANKS).length <= MOST_WORDS;

const LETTER = /\p{L}/u;
const BLANKS = /\s+/;

/** Before a colon that ends a word: not the scheme of an address, and not an hour. */
const labelOf = ({ type, v }: StoredFact['value']): string | undefined => {
  if (type !== 'text' && type !== 'string') return undefined;
  return LABEL.exec(String(v).slice(0, LONGEST + 2))?.[1];
};

const LABEL = /^\s*([^:：\n]+?)\s*(?::(?=\s|$)|：)/u;
