import { type Hash64, KEY_KINDS, STEP_A, STEP_B, type TextHasher } from '../index/text-hash.ts';
import { foldWords, termOf } from './fold-words.ts';
import { COMMON, type LanguageNumber } from './languages/text-languages.ts';
import { spellingsOf } from './spellings.ts';
import type { TermCounts } from './term-counts.ts';

/** The version of the rules for terms. An index of another version is rebuilt. */
export const TOKENIZER_VERSION = 5;

/**
 * Turns texts into hashed terms. It hashes ASCII words in place and finds their terms in a cache, without a string for
 * a known word. `foldWords`, which defines a term, handles all other words.
 */
export class TermReader {
  readonly #hasher: TextHasher;
  readonly #cache = new Uint32Array(CACHED_WORDS * 4);
  readonly #raw: Hash64 = { hi: 0, lo: 0 };
  readonly #term: Hash64 = { hi: 0, lo: 0 };

  #most = Number.POSITIVE_INFINITY;
  #language = COMMON;

  constructor(hasher: TextHasher) {
    this.#hasher = hasher;
  }

  /** Adds the terms of a text in a language to the counts, until these hold `most` distinct ones. */
  read(text: string, into: TermCounts, most = Number.POSITIVE_INFINITY, language: LanguageNumber = COMMON): void {
    this.#most = most;
    this.#language = language;
    let joinedTo = 0;
    for (let at = 0; at < text.length && into.distinct < most; ) {
      if (!isWordPart(text.charCodeAt(at))) {
        at += 1;
        continue;
      }
      const start = at;
      at = this.#readRun(text, start, into);
      if (start >= joinedTo && text.charCodeAt(at) === DASH) joinedTo = this.#readCompound(text, start, into);
    }
    for (const word of spellingsOf(text)) {
      if (into.distinct >= most) return;
      if (SIGN.test(word)) this.addTerm(word, into);
      else this.#readRun(word, 0, into);
    }
  }

  addTerm(term: string, into: TermCounts): void {
    this.#hasher.hash(term, KEY_KINDS.term, this.#term);
    into.add(this.#term.hi, this.#term.lo);
  }

  /** Reads the run of letters and digits at `start`, and returns the index after it. */
  #readRun(text: string, start: number, into: TermCounts): number {
    let a = this.#hasher.startA(KEY_KINDS.term);
    let b = this.#hasher.startB(KEY_KINDS.term);
    let at = start;
    let onlyDigits = true;
    let plain = true;
    for (; at < text.length; at += 1) {
      let code = text.charCodeAt(at);
      if (code < 128) {
        code = LOWERED[code] as number;
        if (code <= APOSTROPHE && (code === SEPARATOR || !isWordPart(text.charCodeAt(at + 1)))) break;
      } else plain = false;
      if (code > NINE) onlyDigits = false;
      a = Math.imul(a ^ code, STEP_A);
      b = Math.imul((b ^ code) + (a >>> 15), STEP_B);
    }
    if (onlyDigits && at - start === 4 && text.charCodeAt(at) === DASH) {
      const end = this.#readDate(text, start, into);
      if (end > 0) return end;
    }
    // Adds the language to the hash, because the same letters are different words in two languages.
    this.#hasher.finish(a, b, at - start + this.#language * BEYOND_LENGTHS, this.#raw);
    this.#addWord(text, start, at, plain, into);
    return at;
  }

  #addWord(text: string, start: number, end: number, plain: boolean, into: TermCounts): void {
    const { hi, lo } = this.#raw;
    const slot = (lo & (CACHED_WORDS - 1)) * 4;
    const cache = this.#cache;
    if (cache[slot] === hi && cache[slot + 1] === lo) {
      into.add(cache[slot + 2] as number, cache[slot + 3] as number);
      return;
    }
    const word = text.slice(start, end);
    const terms = plain ? [termOf(word.toLowerCase(), this.#language)] : foldWords(word, this.#language);
    for (const term of terms) {
      // A long run in a script without spaces may contain very many terms.
      if (into.distinct >= this.#most) return;
      this.addTerm(term, into);
    }
    if (terms.length !== 1) return;
    cache[slot] = hi;
    cache[slot + 1] = lo;
    cache[slot + 2] = this.#term.hi;
    cache[slot + 3] = this.#term.lo;
  }

  /**
   * Also adds two words joined by a hyphen as one word: `email` finds `e-mail`, and vice versa. Longer chains are
   * phrases, dates and identifiers, which are found by their parts. Returns the end of the chain.
   */
  #readCompound(text: string, start: number, into: TermCounts): number {
    let end = start;
    let hyphens = 0;
    for (; end < text.length; end += 1) {
      if (isWordPart(text.charCodeAt(end))) continue;
      if (text.charCodeAt(end) !== DASH || !isWordPart(text.charCodeAt(end + 1))) break;
      hyphens += 1;
    }
    if (hyphens !== 1 || end - start > LONGEST_COMPOUND || into.distinct >= this.#most) return end;
    const joined = text.slice(start, end).replace('-', '');
    if (!ONLY_DIGITS.test(joined)) this.#readRun(joined, 0, into);
    return end;
  }

  /**
   * Reads `2023-05-08` as the words that a reader would search for: 2023, May, 8. Returns zero if no date begins here.
   */
  #readDate(text: string, start: number, into: TermCounts): number {
    const month = twoDigits(text, start + 5);
    const name = MONTHS[month - 1];
    if (name === undefined) return 0;
    const day = text.charCodeAt(start + 7) === DASH ? twoDigits(text, start + 8) : -1;
    const monthAlone = !isWordPart(text.charCodeAt(start + 7)) && text.charCodeAt(start + 7) !== DASH;
    if (day < 1 || day > 31) {
      if (!monthAlone) return 0;
      this.addTerm(text.slice(start, start + 4), into);
      this.addTerm(name, into);
      // The number may also end a range of years, so it is added as a number too.
      this.addTerm(String(month), into);
      return start + 7;
    }
    this.addTerm(text.slice(start, start + 4).replace(/^0+(?=\d)/, ''), into);
    this.addTerm(name, into);
    this.addTerm(String(day), into);
    const timeFollows = /[Tt]/.test(text.charAt(start + 10)) && isDigit(text.charCodeAt(start + 11));
    return start + (timeFollows ? 11 : 10);
  }
}

/** The number of cached words, a power of two; each takes 16 bytes. */
const CACHED_WORDS = 65_536;
/** A number above the length of any text. */
const BEYOND_LENGTHS = 2 ** 26;

const SEPARATOR = 0;
const APOSTROPHE = 1;
const NINE = 57;

/** For each ASCII code, its lower-case character if it belongs to a word, or one of the two constants above. */
const LOWERED = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return character.toLowerCase().charCodeAt(0);
  return character === "'" ? APOSTROPHE : SEPARATOR;
});

/** True if a character belongs to a word. False for NaN, which `charCodeAt` returns past the end. */
const isWordPart = (code: number): boolean => (code < 128 ? (LOWERED[code] as number) > APOSTROPHE : code >= 128);

const isDigit = (code: number): boolean => code >= 48 && code <= NINE;

const DASH = 45;
/** A sign that distinguishes a name or a version, and would end a word. */
const SIGN = /[+#.]/;
const LONGEST_COMPOUND = 40;
const ONLY_DIGITS = /^\d+$/;

/** Returns the number of exactly two digits, or -1. */
const twoDigits = (text: string, at: number): number => {
  const tens = text.charCodeAt(at) - 48;
  const ones = text.charCodeAt(at + 1) - 48;
  if (!(tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9) || isDigit(text.charCodeAt(at + 2))) return -1;
  return tens * 10 + ones;
};

/** The terms of the names of the months. */
const MONTHS: readonly string[] = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
].map((name) => termOf(name));
