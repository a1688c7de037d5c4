import type { Texts } from '../texts/texts.ts';

const LONGEST = 80;

/** A short form of a value, for use in a sentence. */
export const shortValue = (v: unknown, texts: Texts): string => {
  if (v === null || v === undefined) return texts.none;
  if (typeof v === 'boolean') return v ? texts.yes : texts.no;
  const characters = [...String(v).slice(0, 2 * LONGEST)];
  return isolated(characters.length <= LONGEST ? characters.join('') : `${characters.slice(0, LONGEST).join('')}…`);
};

/** Wraps a text in the two characters that isolate its direction. */
export const isolated = (text: string): string => `\u2068${text}\u2069`;
