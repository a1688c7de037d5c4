import { wantedLanguages } from '../kit/platform.ts';
import english from './en.json' with { type: 'json' };

export type Texts = typeof english;

/**
 * How the texts of each language are had. Another one is a file beside `en.json` with the same members, and an entry
 * here that loads it for those who want it: `async () => (await import('./de.json', ...)).default`.
 */
const LANGUAGES: Readonly<Record<string, () => Promise<Texts>>> = { en: async () => english };

export const ENGLISH: Texts = english;

/**
 * The first of the wanted languages in which there are texts, with the region that stands with it, such as `en-GB`;
 * English where there is none.
 */
export const chooseLocale = (wanted: readonly string[], known: readonly string[]): string =>
  wanted.find((locale) => known.includes(languageOf(locale) ?? '')) ?? 'en';

/** Undefined for what is no name of a language, which the formats of a browser would throw at. */
const languageOf = (locale: string): string | undefined => {
  try {
    return new Intl.Locale(locale).language;
  } catch {
    return undefined;
  }
};

/** By which numbers, times and plurals are written: they have to fit the words around them. */
export const LOCALE = chooseLocale(wantedLanguages(), Object.keys(LANGUAGES));

/** The texts for the reader. English where those of another language cannot be had. */
export const loadTexts = async (): Promise<Texts> => {
  try {
    return (await LANGUAGES[languageOf(LOCALE) ?? '']?.()) ?? english;
  } catch {
    return english;
  }
};
