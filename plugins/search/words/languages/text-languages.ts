import { LATIN_STEMMERS, type LatinLanguage } from './latin-stemmers.ts';

/**
 * The number of the language by which the words of a text were stemmed. 0 stands for English, names, and undecided
 * texts. The numbers are part of the format of an index, so new ones go at the end.
 */
export type LanguageNumber = number;

export const COMMON: LanguageNumber = 0;

export const LATIN_LANGUAGES = Object.keys(LATIN_STEMMERS) as readonly LatinLanguage[];

/** The numbers of all languages with their own stemmers. */
export const LANGUAGE_NUMBERS: readonly LanguageNumber[] = LATIN_LANGUAGES.map((_, at) => at + 1);

/** A character that no word contains. */
const BEYOND_WORDS = '\0';

/** Returns the term of a word of Latin letters. Stems of different languages never collide. */
export const latinTerm = (word: string, language: LanguageNumber): string => {
  const name = LATIN_LANGUAGES[language - 1] as LatinLanguage;
  return `${LATIN_STEMMERS[name](word)}${BEYOND_WORDS}${language}`;
};

/** Returns a term that every text of the language has, so that a search knows the languages of a part. */
export const languageMark = (language: LanguageNumber): string => `${BEYOND_WORDS}${language}`;
