/**
 * The words of a text as a set of bits. It is cheap enough to compare all candidates with all chosen facts, and needs
 * no index or embedder, so that packing is the same for facts of any origin.
 */
export interface TextSignature {
  readonly bits: Uint32Array;
  /** The number of set bits. */
  readonly size: number;
}

const WORDS = 16;
const BITS = WORDS * 32;

const TOKEN = /[\p{L}\p{N}]+/gu;

export const textSignature = (text: string): TextSignature => {
  const bits = new Uint32Array(WORDS);
  const read = text.slice(0, LONGEST);
  if (!addAsciiTokens(bits, read)) {
    for (const [token] of read.toLowerCase().matchAll(TOKEN)) addToken(bits, hashText(token));
  }
  return { bits, size: bits.reduce((sum, word) => sum + countBits(word), 0) };
};

/**
 * Adds the tokens before the first character beyond ASCII, and returns whether there is no such character. A recall
 * takes hundreds of signatures, and the regular expression takes several times as long.
 */
const addAsciiTokens = (bits: Uint32Array, text: string): boolean => {
  let hash = EMPTY_HASH;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit > 0x7f) return false;
    const folded = unit >= 0x41 && unit <= 0x5a ? unit | 0x20 : unit;
    if ((folded >= 0x61 && folded <= 0x7a) || (folded >= 0x30 && folded <= 0x39)) {
      hash = hashNext(hash, folded);
    } else if (hash !== EMPTY_HASH) {
      addToken(bits, hash >>> 0);
      hash = EMPTY_HASH;
    }
  }
  if (hash !== EMPTY_HASH) addToken(bits, hash >>> 0);
  return true;
};

const addToken = (bits: Uint32Array, hash: number): void => {
  const bit = hash % BITS;
  bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
};

/** Returns the Jaccard index of two texts, 0 to 1: the share of common words, apart from hash collisions. */
export const similarityOf = (a: TextSignature, b: TextSignature): number => {
  let common = 0;
  for (let at = 0; at < WORDS; at += 1) common += countBits((a.bits[at] as number) & (b.bits[at] as number));
  const either = a.size + b.size - common;
  return either === 0 ? 0 : common / either;
};

/** Returns an upper bound of `similarityOf`, by the number of words alone. */
export const mostSimilar = (a: TextSignature, b: TextSignature): number =>
  Math.min(a.size, b.size) / Math.max(a.size, b.size, 1);

/** The maximum number of characters read, because a set of 512 bits cannot represent longer texts. */
const LONGEST = 4096;

/** Returns the hash FNV-1a: 32 bits, without sign. */
export const hashText = (text: string): number => {
  let value = EMPTY_HASH;
  for (let at = 0; at < text.length; at += 1) value = hashNext(value, text.charCodeAt(at));
  return value >>> 0;
};

/** The hash of an empty text. */
const EMPTY_HASH = 0x811c9dc5 | 0;

const hashNext = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

const countBits = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
