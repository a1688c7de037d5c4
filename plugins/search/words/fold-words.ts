import { normaliseText } from '../../../ports/ports.ts';
import { porterStem } from './porter-stem.ts';

/**
 * The words of a text, as terms of the index: compatibility forms and accents folded, lower-cased, cut at whatever is
 * neither letter nor digit, scripts that are written without spaces cut into pairs of characters, English words
 * stemmed. Two spellings of one word give one term.
 */
export const foldWords = (text: string): string[] => {
  const folded = normaliseText(normaliseText(text, 'NFKD').replace(ACCENTS, ''), 'NFC')
    .toLowerCase()
    // Lower-casing can bring accents back: the dot of a Turkish capital.
    .replace(ACCENTS, '')
    .replace(APOSTROPHES, "'");
  return (folded.match(WORDS) ?? []).flatMap((word) => {
    if (!UNSPACED.test(word)) return [termOf(word)];
    return word.split(UNSPACED_RUNS).flatMap((run) => {
      if (run === '') return [];
      return UNSPACED.test(run) ? pairsOf(run) : [termOf(run)];
    });
  });
};

/** The term of one lower-cased and folded word. */
export const termOf = (word: string): string => {
  const whole = word.includes("'") ? word.replace(POSSESSIVE, '').replaceAll("'", '') : word;
  const first = whole.charCodeAt(0);
  if (first <= NINE) return numberTerm(whole);
  return whole.length <= LONGEST_STEMMED && PLAIN_LETTERS.test(whole) ? porterStem(whole) : whole;
};

const NINE = 57;
/** No word of a language is longer, and a stemmer looks at every letter several times. */
const LONGEST_STEMMED = 40;
/** Combining marks of European scripts. Marks of other scripts are vowels, and part of the word. */
const ACCENTS = /[\u0300-\u036f]/g;
const APOSTROPHES = /[\u2018\u2019\u02bc\uff07]/g;
const WORDS = /[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{N}\p{M}]+)*/gu;
const POSSESSIVE = /'s$/;
const PLAIN_LETTERS = /^[a-z]+$/;
const WITHOUT_SPACES =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc]';
const UNSPACED = new RegExp(WITHOUT_SPACES, 'u');
const UNSPACED_RUNS = new RegExp(`(${WITHOUT_SPACES}+)`, 'u');

/** `07`, `7` and `7th` are one day. */
const numberTerm = (word: string): string => {
  const [, digits] = NUMBER.exec(word) ?? [];
  return digits ?? word;
};

/** The digits that count begin with another than 0, so that a long row of zeros is tried in one way only. */
const NUMBER = /^0*(0|[1-9]\d*)(?:st|nd|rd|th)?$/;

const pairsOf = (run: string): string[] => {
  const characters = [...run];
  if (characters.length === 1) return [run];
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
};
