import { LATIN_STEMMERS, type LatinLanguage } from './latin-stemmers.ts';

/**
 * Number of the language that the words of a text were stemmed by. 0 is the common one: English, names, and undecided
 * texts. Part of the format of an index: new ones come at the end.
 */
export type LanguageNumber = number;

export const COMMON: LanguageNumber = 0;

export const LATIN_LANGUAGES = Object.keys(LATIN_STEMMERS) as readonly LatinLanguage[];

/** All that have stems of their own. */
export const LANGUAGE_NUMBERS: readonly LanguageNumber[] = LATIN_LANGUAGES.map((_, at) => at + 1);

/** Begins what no word of a text holds. */
const BEYOND_WORDS = '\0';

/** The term of a word of Latin letters: stems of different languages never meet. */
export const latinTerm = (word: string, language: LanguageNumber): string => {
  const name = LATIN_LANGUAGES[language - 1] as LatinLanguage;
  return `${LATIN_STEMMERS[name](word)}${BEYOND_WORDS}${language}`;
};

/** A term that every text of the language has, so that a search knows which ones there are. */
export const languageMark = (language: LanguageNumber): string => `${BEYOND_WORDS}${language}`;
