import { wantedLanguages } from '../kit/platform.ts';
import english from './en.json' with { type: 'json' };

export type Texts = typeof english;

/**
 * Loaders for the texts of each language. To add one, write a file beside `en.json` with the same members, and add an
 * entry here: `async () => (await import('./de.json', ...)).default`.
 */
const LANGUAGES: Readonly<Record<string, () => Promise<Texts>>> = { en: async () => english };

export const ENGLISH: Texts = english;

/** The first wanted language that has texts, with its region, such as `en-GB`. Otherwise English. */
export const chooseLocale = (wanted: readonly string[], known: readonly string[]): string =>
  wanted.find((locale) => known.includes(languageOf(locale) ?? '')) ?? 'en';

/** Returns the language of a locale; undefined for a malformed name, for which the browser's formats would throw. */
const languageOf = (locale: string): string | undefined => {
  try {
    return new Intl.Locale(locale).language;
  } catch {
    return undefined;
  }
};

/** The locale of numbers, times and plurals, which must fit the texts around them. */
export const LOCALE = chooseLocale(wantedLanguages(), Object.keys(LANGUAGES));

/** The texts for the reader. English if the texts of another language cannot be loaded. */
export const loadTexts = async (): Promise<Texts> => {
  try {
    return (await LANGUAGES[languageOf(LOCALE) ?? '']?.()) ?? english;
  } catch {
    return english;
  }
};
