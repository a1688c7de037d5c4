import { normaliseText } from '../../ports/ports.ts';

/**
 * Words of a text, lower-cased, without accents, in order. Scripts that put no spaces between words give every pair of
 * neighbouring characters instead.
 */
export const wordsOf = (text: string): string[] => {
  const folded = PLAIN.test(text) ? text.toLowerCase() : normaliseText(text, 'NFKD').replace(ACCENTS, '').toLowerCase();
  const runs = folded.match(RUNS) ?? [];
  return PLAIN.test(folded) ? runs : runs.flatMap((run) => (UNSPACED.test(run) ? pairsOf(run) : [run]));
};

const PLAIN = /^[\0-\x7f]*$/;
const ACCENTS = /\p{M}+/gu;
const RUNS = /[\p{L}\p{N}]+/gu;
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;

const pairsOf = (run: string): string[] => {
  const characters = [...run];
  return characters.length < 2
    ? characters
    : characters.slice(1).map((character, at) => `${characters[at]}${character}`);
};
