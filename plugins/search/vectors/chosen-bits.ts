/**
 * Counts the members of a set of ordinals, which has one bit each, lowest first; undefined stands for all of the first
 * `count`.
 */
export const countOf = (bits: Uint32Array | undefined, count: number): number => {
  if (bits === undefined) return count;
  let set = 0;
  for (let at = 0; at < bits.length; at += 1) set += bitsIn(bits[at] as number);
  return set;
};

/**
 * Selects every `stride`-th of the set bits, starting with the first one; undefined stands for all of the first
 * `count`.
 */
export const everyNth = (bits: Uint32Array | undefined, count: number, stride: number): Uint32Array => {
  const taken = new Uint32Array((count + 31) >>> 5);
  if (bits === undefined) {
    for (let ordinal = 0; ordinal < count; ordinal += stride) setBit(taken, ordinal);
    return taken;
  }
  let next = 0;
  for (let word = 0; word < bits.length; word += 1) {
    const here = bitsIn(bits[word] as number);
    for (; next < here; next += stride) setBit(taken, 32 * word + placeOfBit(bits[word] as number, next));
    next -= here;
  }
  return taken;
};

/** Returns the position of the set bit that has `below` set bits below it. */
const placeOfBit = (word: number, below: number): number => {
  let left = word;
  for (let passed = 0; passed < below; passed += 1) left &= left - 1;
  return 31 - Math.clz32(left & -left);
};

export const setBit = (bits: Uint32Array, ordinal: number): void => {
  bits[ordinal >>> 5] = (bits[ordinal >>> 5] as number) | (1 << (ordinal & 31));
};

const bitsIn = (word: number): number => {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
};
