import { existsSync, readFileSync } from 'node:fs';

const LISTS = '/usr/share/dict/scowl';
/** Small sizes hold common words. */
const SIZES = [10, 20, 35, 40, 50, 55, 60];
const KINDS = ['english-words', 'american-words', 'british-words'];
/** Names of people and places. */
const NAMES = ['english-upper', 'american-upper', 'english-proper-names', 'american-proper-names'];
const LAST_SIZE_OF_NAMES = 50;
const PLAIN = /^[a-z0-9]+$/;
const RUNS = /[\p{L}\p{N}]+/gu;

/**
 * Words in the order of what they are worth: those of the model's own vocabulary, which is sorted by how often they are
 * read, then the pieces of others in it, then those of SCOWL. `share` is how often a word is said, by Zipf's law over
 * that vocabulary; beyond its words it makes no difference any more.
 */
export const listWords = (tokenizerPath) => {
  const { vocab } = JSON.parse(readFileSync(tokenizerPath, 'utf8')).model;
  const tokens = Object.entries(vocab).sort((a, b) => a[1] - b[1]);
  const shares = new Map();
  for (const [token, number] of tokens) {
    if (!PLAIN.test(token)) continue;
    // Before them are single characters, in the order of the alphabet.
    const rank = number >= FIRST_WORD ? number - FIRST_WORD : CHARACTER_RANK;
    shares.set(token, 1 / ((rank + ZIPF_SHIFT) * ZIPF_SUM));
  }
  const pieces = tokens.map(([token]) => token.slice(2)).filter((_, at) => tokens[at][0].startsWith('##'));
  for (const word of [...pieces, ...scowl()]) if (PLAIN.test(word) && !shares.has(word)) shares.set(word, RARE);
  return [...shares].map(([word, share]) => ({ word, share }));
};

const FIRST_WORD = 1_996;
const CHARACTER_RANK = 300;
/** Mandelbrot's form of the law, over 200,000 words. */
const ZIPF_SHIFT = 3.7;
const ZIPF_SUM = 11.3;
const RARE = 1e-6;

/** Of less common words, forms that follow from another word are left out. */
const scowl = () => {
  const all = SIZES.flatMap((size) =>
    (size <= LAST_SIZE_OF_NAMES ? [...KINDS, ...NAMES] : KINDS).flatMap((kind) => wordsOf(`${LISTS}/${kind}.${size}`, size)),
  );
  const listed = new Set(all.map(({ word }) => word));
  return all
    .filter(({ word, size }) => size <= LAST_COMMON_SIZE || !derivedFrom(word).some((base) => listed.has(base)))
    .map(({ word }) => word);
};

const LAST_COMMON_SIZE = 35;
const LONGEST = 20;

const wordsOf = (file, size) => {
  if (!existsSync(file)) return [];
  const text = readFileSync(file, 'latin1').normalize('NFKD').replace(/\p{M}+/gu, '').toLowerCase();
  return [...text.matchAll(RUNS)].map(([word]) => ({ word, size })).filter(({ word }) => word.length > 2 && word.length <= LONGEST);
};

const derivedFrom = (word) => {
  const [, stem = '', end = ''] = /^(.{3,})(er|est|ly|ness|nesses)$/.exec(word) ?? [];
  const doubled = stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : [];
  return [...basesOf(word), ...(end === '' ? [] : [stem, `${stem}e`, stem.replace(/i$/, 'y'), ...doubled])].filter(
    (base) => base !== word && base.length > 2,
  );
};

/** The base word of an English form, if it is listed: as `basesOf` of the embedder cuts endings. */
export const baseOf = (word, listed) => basesOf(word).find((base) => base !== word && listed.has(base));

const basesOf = (word) => {
  const ending = /^(.{2,}?)(ies|es|s|ied|ing|ed)$/.exec(word);
  if (ending === null || word.endsWith('ss')) return [];
  const [, stem, end] = ending;
  if (end === 'ies' || end === 'ied') return [`${stem}y`, `${stem}ie`];
  if (end === 's') return [stem];
  const doubled = stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : [];
  return end === 'es' ? [`${stem}e`, stem] : [stem, `${stem}e`, ...doubled];
};
