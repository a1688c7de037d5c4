import { compose, decompose } from './unicode-composition.ts';
import { CAPITAL, CAPITAL_SIGMA, INVOLVED, type UnicodeLookup, unicodeLookup } from './unicode-lookup.ts';

/**
 * Returns the form in which two spellings of one name are equal: NFC of lower case of NFC of the text without white
 * space at its ends. It follows the version of Unicode that `unicode-table.ts` holds, so that nodes on different
 * runtimes agree. Characters that this version does not know stay as they are. Idempotent.
 */
export const foldName = (text: string): string => {
  if (ASCII.test(text)) return text.trim().toLowerCase();
  const name = trimName(text);
  const unicode = unicodeLookup();
  let folded = '';
  let kept = 0;
  for (let at = 0; at < name.length; at += 1) {
    const code = name.codePointAt(at) as number;
    const work = unicode.workOf(code);
    if (work === INVOLVED) return compose(lowerCase(decompose(name, unicode), unicode), unicode);
    const width = code > LAST_OF_ONE_UNIT ? 2 : 1;
    if (work === CAPITAL) {
      folded += name.slice(kept, at) + String.fromCodePoint(unicode.lower.get(code) ?? code);
      kept = at + width;
    }
    at += width - 1;
  }
  return kept === 0 ? name : folded + name.slice(kept);
};

/** The white space of `\s` in the pinned version of Unicode, as the content of a character class. */
export const WHITE_SPACE = '\\t-\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff';

const SPACE = new RegExp(`[${WHITE_SPACE}]`);
const ASCII = /^[\0-\x7f]*$/;
const LAST_OF_ONE_UNIT = 0xffff;
const FINAL_SIGMA = 0x3c2;

const trimName = (text: string): string => {
  let [start, end] = [0, text.length];
  while (start < end && SPACE.test(text.charAt(start))) start += 1;
  while (end > start && SPACE.test(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
};

const lowerCase = (codes: readonly number[], unicode: UnicodeLookup): number[] =>
  codes.map((code, at) =>
    code === CAPITAL_SIGMA && endsWord(codes, at, unicode) ? FINAL_SIGMA : (unicode.lower.get(code) ?? code),
  );

/**
 * Returns true for a sigma at the end of a word of several letters: Final_Sigma in section 3.13 of the Unicode
 * Standard.
 */
const endsWord = (codes: readonly number[], at: number, unicode: UnicodeLookup): boolean =>
  isLetter(codes, at, -1, unicode) && !isLetter(codes, at, 1, unicode);

const isLetter = (codes: readonly number[], from: number, step: number, unicode: UnicodeLookup): boolean => {
  let at = from + step;
  while (unicode.caseIgnorable.has(codes[at] ?? -1)) at += step;
  return unicode.cased.has(codes[at] ?? -1);
};
