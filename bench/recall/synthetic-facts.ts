import type { CorpusRow } from '../row-to-fact.ts';

/**
 * The number of made-up words, whose frequencies follow Zipf's law. Each fact is the same on every machine and in every
 * set.
 */
export const WORDS_IN_USE = 50_000;
export const FACTS_PER_SESSION = 20;
/** The store name, which becomes a part of every entity. */
const STORE = 'synthetic';
const LEAST_WORDS = 5;
const MOST_WORDS = 24;
const LEAST_ASKED = 3;
const MOST_ASKED = 8;
/** The time of the first fact. Later facts follow at one a minute. */
const FIRST_MS = Date.UTC(2023, 0, 1);
const MINUTE_MS = 60_000;

/** Returns the words of the `n`th fact, as ranks in the vocabulary. */
export const factWords = (n: number): number[] => {
  const draw = drawing(n * 2);
  const length = LEAST_WORDS + Math.floor(draw() * (MOST_WORDS - LEAST_WORDS + 1));
  return Array.from({ length }, () => zipf(draw()));
};

/**
 * Returns the words of the `n`th question. An even question takes them from one fact, an odd one from the whole
 * vocabulary by frequency.
 */
export const questionWords = (n: number, facts: number): number[] => {
  const draw = drawing(n * 2 + 1);
  const asked = LEAST_ASKED + Math.floor(draw() * (MOST_ASKED - LEAST_ASKED + 1));
  const known = factWords(Math.floor(draw() * facts));
  const any = (): number => (n % 2 === 0 ? (known[Math.floor(draw() * known.length)] as number) : zipf(draw()));
  return [...new Set(Array.from({ length: asked }, any))];
};

/** Spells words by their numbers. All end in a, i, o or u, so that different words stay different after stemming. */
export const spell = (words: readonly number[]): string => words.map((word) => SPELLED[word] as string).join(' ');

export const syntheticRow = (n: number): CorpusRow => {
  const session = Math.floor(n / FACTS_PER_SESSION);
  const text = spell(factWords(n));
  return {
    store: STORE,
    id: `${session}:${n}`,
    entity: 'anna',
    text,
    ts: new Date(FIRST_MS + n * MINUTE_MS).toISOString(),
  };
};

const CONSONANTS = 'bcdfghjklmnprstvwz';
const VOWELS = 'aiou';
const SYLLABLES = CONSONANTS.length * VOWELS.length;

const spellOne = (word: number): string => {
  let text = '';
  for (let left = word + SYLLABLES; left > 0; left = Math.floor(left / SYLLABLES)) {
    const syllable = left % SYLLABLES;
    text += `${CONSONANTS[Math.floor(syllable / VOWELS.length)]}${VOWELS[syllable % VOWELS.length]}`;
  }
  return text;
};

const SPELLED: readonly string[] = Array.from({ length: WORDS_IN_USE }, (_, word) => spellOne(word));

/** The cumulative share of all uses, by rank. */
const SHARES = ((): Float64Array => {
  const shares = new Float64Array(WORDS_IN_USE);
  let sum = 0;
  for (let rank = 0; rank < WORDS_IN_USE; rank += 1) {
    sum += 1 / (rank + 1);
    shares[rank] = sum;
  }
  return shares.map((share) => share / sum);
})();

const zipf = (chance: number): number => {
  let low = 0;
  let high = WORDS_IN_USE - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((SHARES[middle] as number) < chance) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Returns a seeded generator of numbers from 0 to 1 (mulberry32, T. Ettinger). */
const drawing = (seed: number): (() => number) => {
  let state = Math.imul(seed + 1, 0x9e3779b1);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
