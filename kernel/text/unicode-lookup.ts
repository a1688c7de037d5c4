import { CASE_IGNORABLE, CASED, COMPOSED, DECOMPOSED, LOWER_CASE, MARKS } from './unicode-table.ts';

/** Marks a character that folding leaves unchanged. */
export const INERT = 0;
/** Marks a character that lower case replaces by one other, in every context. */
export const CAPITAL = 1;
/** Marks a character that decomposes, moves, composes with the one before it, or depends on its neighbours. */
export const INVOLVED = 2;

export const CAPITAL_SIGMA = 0x3a3;
const CAPITAL_I_WITH_DOT = 0x130;

/** Hangul syllables are computed from their parts: section 3.12 of the Unicode Standard. */
export const HANGUL = {
  syllable: 0xac00,
  lead: 0x1100,
  vowel: 0x1161,
  /** The code point before the first tail consonant. */
  tail: 0x11a7,
  leads: 19,
  vowels: 21,
  tails: 28,
  syllables: 11_172,
};

/** The tables of `unicode-table.ts`, as maps and sets for fast look-ups. */
export interface UnicodeLookup {
  readonly lower: ReadonlyMap<number, number>;
  /** The rank of each combining mark in canonical order; other characters are absent. */
  readonly ranks: ReadonlyMap<number, number>;
  /** Canonical decompositions, without Hangul syllables. Some contain only the first step. */
  readonly parts: ReadonlyMap<number, readonly number[]>;
  /** The character that a pair composes, by `pairKey`. */
  readonly composed: ReadonlyMap<number, number>;
  readonly cased: ReadonlySet<number>;
  readonly caseIgnorable: ReadonlySet<number>;
  /** Returns `INERT`, `CAPITAL` or `INVOLVED`. */
  workOf(code: number): number;
}

export const pairKey = (first: number, second: number): number => first * CODE_POINTS + second;

/** Returns the tables. Builds them for the first name beyond ASCII. */
export const unicodeLookup = (): UnicodeLookup => {
  lookup ??= buildLookup();
  return lookup;
};

let lookup: UnicodeLookup | undefined;
const CODE_POINTS = 0x11_0000;
const BLOCK_BITS = 8;

const buildLookup = (): UnicodeLookup => {
  const runs = (table: string) => new Map(runsOf(table, 4));
  const distances = runs(LOWER_CASE);
  const lower = new Map([...distances].map(([code, distance]) => [code, code + distance]));
  const ranks = runs(MARKS);
  const pairs = pairsOf(COMPOSED);
  const others = decompositionsOf(DECOMPOSED);
  const jamo = [...rangeOf(HANGUL.vowel, HANGUL.vowels), ...rangeOf(HANGUL.tail + 1, HANGUL.tails - 1)];
  const seconds = new Set(pairs.map(([, , second]) => second));
  // The first part of such a character may compose with the character before it.
  const joining = pairs.filter(([, first]) => seconds.has(first)).map(([code]) => code);
  const involved = [ranks.keys(), others.keys(), seconds, joining, jamo, [CAPITAL_SIGMA, CAPITAL_I_WITH_DOT]];
  return {
    lower,
    ranks,
    parts: new Map([...others, ...pairs.map(([code, first, second]) => [code, [first, second]] as const)]),
    composed: new Map(pairs.map(([code, first, second]) => [pairKey(first, second), code])),
    cased: new Set(runsOf(CASED, 3).map(([code]) => code)),
    caseIgnorable: new Set(runsOf(CASE_IGNORABLE, 3).map(([code]) => code)),
    workOf: workTable(
      [...lower.keys()],
      involved.flatMap((codes) => [...codes]),
    ),
  };
};

/**
 * Returns a function from a code point to its mark. A block holds the marks of 256 characters; all inert blocks are
 * one.
 */
const workTable = (capitals: readonly number[], involved: readonly number[]): ((code: number) => number) => {
  const used = new Set([...capitals, ...involved].map((code) => code >> BLOCK_BITS));
  const blocks = new Uint8Array(CODE_POINTS >> BLOCK_BITS);
  for (const [at, block] of [...used].entries()) blocks[block] = at + 1;
  const work = new Uint8Array((used.size + 1) << BLOCK_BITS);
  const placeOf = (code: number): number =>
    ((blocks[code >> BLOCK_BITS] ?? 0) << BLOCK_BITS) | (code & ((1 << BLOCK_BITS) - 1));
  for (const code of capitals) work[placeOf(code)] = CAPITAL;
  for (const code of involved) work[placeOf(code)] = INVOLVED;
  return (code) => work[placeOf(code)] ?? INERT;
};

/** Returns a function that reads the numbers of a table one by one, then returns undefined. */
const readerOf = (table: string): (() => number | undefined) => {
  const words = table.trim().split(/\s/);
  let at = 0;
  return () => {
    const word = words[at];
    at += 1;
    return word === undefined ? undefined : Number.parseInt(word, 36);
  };
};

/** Reads entries of `width` numbers. Each entry describes a run of characters; a fourth number is their value. */
const runsOf = (table: string, width: 3 | 4): [code: number, value: number][] => {
  const next = readerOf(table);
  const found: [number, number][] = [];
  let code = 0;
  for (let gap = next(); gap !== undefined; gap = next()) {
    const [count, step] = [next() ?? 0, next() ?? 0];
    const value = width === 4 ? (next() ?? 0) : 0;
    code += gap;
    for (let n = 0; n < count; n += 1) found.push([code + n * step, value]);
    code += (count - 1) * step;
  }
  return found;
};

const pairsOf = (table: string): [code: number, first: number, second: number][] => {
  const next = readerOf(table);
  const found: [number, number, number][] = [];
  let [code, first, second] = [0, 0, 0];
  for (let gap = next(); gap !== undefined; gap = next()) {
    code += gap;
    first += next() ?? 0;
    second += next() ?? 0;
    found.push([code, first, second]);
  }
  return found;
};

const decompositionsOf = (table: string): Map<number, readonly number[]> => {
  const next = readerOf(table);
  const found = new Map<number, readonly number[]>();
  let [code, first] = [0, 0];
  for (let gap = next(); gap !== undefined; gap = next()) {
    code += gap;
    first += next() ?? 0;
    const further = next() ?? 0;
    found.set(code, [first, ...Array.from({ length: further }, () => next() ?? 0)]);
  }
  return found;
};

const rangeOf = (start: number, count: number): number[] => Array.from({ length: count }, (_, n) => start + n);
