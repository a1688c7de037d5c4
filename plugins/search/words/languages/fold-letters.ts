import { normaliseText } from '../../../../kernel/thread-api.ts';

/**
 * Returns a text in lower case without the differences between spellings of one word. These are compatibility forms,
 * accents, points and vowel marks, letters with a stroke, the forms of sigma and of alef, and digits of other scripts.
 */
export const foldLetters = (text: string): string => {
  const folded = normaliseText(normaliseText(text, 'NFKD').replace(MARKS, ''), 'NFC')
    .toLowerCase()
    // Lower-casing can restore accents, such as the dot of a Turkish capital.
    .replace(MARKS, '')
    .replace(APOSTROPHES, "'");
  return folded.replace(LETTERS, (letter) => PLAINER[letter] ?? letter).replace(DIGITS, asciiDigit);
};

/**
 * Accents of European scripts, points of Hebrew, vowel marks and the stretching of Arabic, the dot below of Devanagari.
 * Other marks are vowels, and part of the word.
 */
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u093c]/g;
const APOSTROPHES = /[\u2018\u2019\u02bc\uff07]/g;

const PLAINER: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
  ة: 'ه',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
  'ँ': 'ं',
};
const LETTERS = new RegExp(`[${Object.keys(PLAINER).join('')}]`, 'gu');

/** Digits of other scripts, which Unicode places in rows of ten. */
const DIGITS = /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0e50-\u0e59]/g;
const asciiDigit = (digit: string): string => {
  const code = digit.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code <= first + 9) ?? code;
  return String(code - zero);
};
const ZEROS = [0x660, 0x6f0, 0x966, 0x9e6, 0xe50];
