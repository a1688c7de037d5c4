import { HANGUL, pairKey, type UnicodeLookup } from './unicode-lookup.ts';

/** Returns the code points of a text in NFD: characters taken apart, and the marks after each in canonical order. */
export const decompose = (text: string, unicode: UnicodeLookup): number[] => {
  const codes: number[] = [];
  for (const character of text) takeApart(character.codePointAt(0) as number, unicode, codes);
  return inOrder(codes, unicode);
};

const takeApart = (code: number, unicode: UnicodeLookup, codes: number[]): void => {
  const syllable = code - HANGUL.syllable;
  if (syllable >= 0 && syllable < HANGUL.syllables) {
    const tail = syllable % HANGUL.tails;
    const pair = (syllable - tail) / HANGUL.tails;
    codes.push(HANGUL.lead + Math.floor(pair / HANGUL.vowels), HANGUL.vowel + (pair % HANGUL.vowels));
    if (tail > 0) codes.push(HANGUL.tail + tail);
    return;
  }
  const parts = unicode.parts.get(code);
  if (parts === undefined) codes.push(code);
  else for (const part of parts) takeApart(part, unicode, codes);
};

/** Sorts each run of marks by rank. Exchanging neighbours instead would take quadratic time for a long run. */
const inOrder = (codes: number[], unicode: UnicodeLookup): number[] => {
  const rankOf = (code: number): number => unicode.ranks.get(code) ?? 0;
  for (let start = 0; start < codes.length; start += 1) {
    let end = start;
    while (end < codes.length && rankOf(codes[end] as number) > 0) end += 1;
    if (end - start > 1) {
      const marks = codes.slice(start, end).sort((one, other) => rankOf(one) - rankOf(other));
      for (const [at, mark] of marks.entries()) codes[start + at] = mark;
    }
    start = end;
  }
  return codes;
};

/** Returns the text in NFC of code points in NFD. */
export const compose = (codes: readonly number[], unicode: UnicodeLookup): string => {
  const composed: number[] = [];
  let starter = -1;
  let lastRank = 0;
  for (const code of codes) {
    const ownRank = unicode.ranks.get(code) ?? 0;
    // Two characters do not compose if a mark of the same or a higher rank stands between them, or an uncomposed
    // starter.
    const isNext = starter === composed.length - 1;
    const joined =
      starter >= 0 && (isNext || (lastRank !== 0 && lastRank < ownRank))
        ? joinedOf(composed[starter] as number, code, unicode)
        : undefined;
    if (joined !== undefined) {
      composed[starter] = joined;
      continue;
    }
    if (ownRank === 0) starter = composed.length;
    lastRank = ownRank;
    composed.push(code);
  }
  return textOf(composed);
};

const joinedOf = (first: number, second: number, unicode: UnicodeLookup): number | undefined => {
  const lead = first - HANGUL.lead;
  const vowel = second - HANGUL.vowel;
  const isPair = lead >= 0 && lead < HANGUL.leads && vowel >= 0 && vowel < HANGUL.vowels;
  if (isPair) return HANGUL.syllable + (lead * HANGUL.vowels + vowel) * HANGUL.tails;
  const syllable = first - HANGUL.syllable;
  const tail = second - HANGUL.tail;
  const isOpen = syllable >= 0 && syllable < HANGUL.syllables && syllable % HANGUL.tails === 0;
  if (isOpen && tail > 0 && tail < HANGUL.tails) return first + tail;
  return unicode.composed.get(pairKey(first, second));
};

const textOf = (codes: readonly number[]): string => {
  let text = '';
  for (const code of codes) text += String.fromCodePoint(code);
  return text;
};
