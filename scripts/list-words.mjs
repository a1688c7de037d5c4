import { readFileSync } from 'node:fs';

const PLAIN = /^[a-z0-9]+$/;
const LETTERS = /^[a-z]+$/;

/**
 * Lists the input of a table of words:
 *
 * - `words`: whole words by usefulness. The first `ofModel` are those of the model's own vocabulary, sorted by
 *   frequency; then come those of a count over many texts (GloVe). `share` estimates the frequency of a word of the
 *   model by Zipf's law, and is the same small number for every other word.
 * - `pieces`: the pieces into which the model splits each other word of letters; the first is a beginning, `tok+`, the
 *   others go on, `+en`.
 */
export const listWords = (tokenizerPath, countedPath, mostCounted) => {
  const { vocab } = JSON.parse(readFileSync(tokenizerPath, 'utf8')).model;
  const shares = new Map();
  for (const [token, number] of Object.entries(vocab).sort((a, b) => a[1] - b[1])) {
    if (!PLAIN.test(token)) continue;
    // Single characters precede the words, in the order of the alphabet.
    const rank = number >= FIRST_WORD ? number - FIRST_WORD : CHARACTER_RANK;
    shares.set(token, 1 / ((rank + ZIPF_SHIFT) * ZIPF_SUM));
  }
  const ofModel = shares.size;
  const pieces = new Map();
  for (const word of countedWords(countedPath).slice(0, mostCounted)) {
    if (shares.has(word)) continue;
    shares.set(word, RARE);
    const found = LETTERS.test(word) ? piecesOf(word, vocab) : [];
    if (found.length > 1) pieces.set(word, found);
  }
  return { words: [...shares].map(([word, share]) => ({ word, share })), ofModel, pieces };
};

const FIRST_WORD = 1_996;
const CHARACTER_RANK = 300;
/** The shift in Mandelbrot's form of Zipf's law, for 200,000 words. */
const ZIPF_SHIFT = 3.7;
const ZIPF_SUM = 11.3;
const RARE = 1e-6;

/** Returns the words of a winkNLP package, most frequent first. */
const countedWords = (path) =>
  Object.keys(JSON.parse(readFileSync(path, 'utf8')).vectors).filter((word) => PLAIN.test(word));

/** Splits a word into its longest pieces, from the beginning, as the model's own tokenizer does. */
const piecesOf = (word, vocab) => {
  const pieces = [];
  for (let at = 0; at < word.length; ) {
    let end = word.length;
    while (end > at && vocab[at === 0 ? word.slice(at, end) : `##${word.slice(at, end)}`] === undefined) end -= 1;
    if (end === at) return [];
    pieces.push(at === 0 ? `${word.slice(at, end)}+` : `+${word.slice(at, end)}`);
    at = end;
  }
  return pieces;
};
