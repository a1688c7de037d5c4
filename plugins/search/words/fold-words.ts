import { foldLetters } from './languages/fold-letters.ts';
import { scriptStem, withoutKoreanParticle } from './languages/script-stemmers.ts';
import { COMMON, type LanguageNumber, latinTerm } from './languages/text-languages.ts';
import { porterStem } from './porter-stem.ts';

/**
 * Returns the words of a text as terms of the index, with folded letters. Every character except letters and digits
 * separates words, and a pictograph is a word. Latin words are stemmed by the language of the text, others by their
 * script. Text in scripts without spaces is cut into pairs of characters. So is Korean, because it attaches suffixes to
 * words. Two spellings of one word give one term.
 */
export const foldWords = (text: string, language: LanguageNumber = COMMON): string[] =>
  (foldLetters(text).replaceAll(EMOJI_STYLE, '').match(WORDS) ?? []).flatMap((word) => {
    if (!UNSPACED.test(word)) return [termOf(word, language)];
    return word.split(UNSPACED_RUNS).flatMap((run) => {
      if (run === '') return [];
      return UNSPACED.test(run) ? pairsOf(run) : [termOf(run, language)];
    });
  });

/** Returns the term of one lower-cased and folded word. */
export const termOf = (word: string, language: LanguageNumber = COMMON): string => {
  if (word.charCodeAt(0) <= NINE) return numberTerm(withoutApostrophes(word));
  if (language !== COMMON && word.length <= LONGEST_STEMMED && LATIN_WORD.test(word)) return latinTerm(word, language);
  const whole = withoutApostrophes(word);
  if (whole.length > LONGEST_STEMMED) return whole;
  return PLAIN_LETTERS.test(whole) ? porterStem(whole) : scriptStem(whole);
};

const withoutApostrophes = (word: string): string =>
  word.includes("'") ? word.replace(POSSESSIVE, '').replaceAll("'", '') : word;

const NINE = 57;
/** Longer words are not stemmed: they occur in no language, and a stemmer reads every letter several times. */
const LONGEST_STEMMED = 40;
const WORDS = /\p{Extended_Pictographic}|\p{RI}{2}|[\p{L}\p{N}\p{M}]+(?:'[\p{L}\p{N}\p{M}]+)*/gu;
/** The variation selector that requests the coloured form of a pictograph. */
const EMOJI_STYLE = '\ufe0f';
const POSSESSIVE = /'s$/;
const PLAIN_LETTERS = /^[a-z]+$/;
const LATIN_WORD = /^[a-z']+$/;
const WITHOUT_SPACES =
  '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}\\u30fc]';
const UNSPACED = new RegExp(WITHOUT_SPACES, 'u');
const UNSPACED_RUNS = new RegExp(`(${WITHOUT_SPACES}+)`, 'u');

/** Gives `07`, `7` and `7th` the same term. */
const numberTerm = (word: string): string => {
  const [, digits] = NUMBER.exec(word) ?? [];
  return digits ?? word;
};

/** The captured digits never begin with 0, so that a long row of zeros matches in only one way. */
const NUMBER = /^0*(0|[1-9]\d*)(?:st|nd|rd|th)?$/;

/**
 * Returns pairs of neighbouring characters, each with its vowel marks. Single Chinese characters are returned too,
 * because they are often words.
 */
const pairsOf = (run: string): string[] => {
  const characters = (HANGUL.test(run) ? withoutKoreanParticle(run) : run).match(CHARACTERS) ?? [];
  if (characters.length === 1) return [characters[0] as string];
  return characters.flatMap((character, at) => {
    const next = characters[at + 1];
    return [...(HAN.test(character) ? [character] : []), ...(next === undefined ? [] : [`${character}${next}`])];
  });
};

const CHARACTERS = /\P{M}\p{M}*|\p{M}+/gu;
const HAN = /^\p{Script=Han}/u;
const HANGUL = /^\p{Script=Hangul}+$/u;
