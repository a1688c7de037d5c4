/**
 * Writes the 128 bits of a lower-case UUID to `into`. Returns false for any other text, and then `into` is undefined.
 */
export const readUuid = (text: string, into: Uint32Array): boolean => {
  if (text.length !== TEXT_LENGTH) return false;
  let at = 0;
  for (let word = 0; word < 4; word += 1) {
    let bits = 0;
    for (let digit = 0; digit < 8; digit += 1, at += 1) {
      if (at === 8 || at === 13 || at === 18 || at === 23) {
        if (text.charCodeAt(at) !== DASH) return false;
        at += 1;
      }
      const value = DIGITS[text.charCodeAt(at)] ?? NO_DIGIT;
      if (value === NO_DIGIT) return false;
      bits = (bits << 4) | value;
    }
    into[word] = bits;
  }
  return true;
};

/** Returns the UUID whose four words begin at `at`. */
export const uuidText = (words: Uint32Array, at: number): string => {
  const [a, b, c, d] = [words[at] ?? 0, words[at + 1] ?? 0, words[at + 2] ?? 0, words[at + 3] ?? 0];
  return `${high(a)}${low(a)}-${high(b)}-${low(b)}-${high(c)}-${low(c)}${high(d)}${low(d)}`;
};

/** Returns the hexadecimal digits of the two upper, or two lower, bytes of a word. */
const high = (word: number): string => `${BYTES[word >>> 24]}${BYTES[(word >>> 16) & 0xff]}`;
const low = (word: number): string => `${BYTES[(word >>> 8) & 0xff]}${BYTES[word & 0xff]}`;

const BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const TEXT_LENGTH = 36;
const DASH = 45;
const NO_DIGIT = 255;
const DIGITS = Uint8Array.from({ length: 128 }, (_, code) => {
  const at = '0123456789abcdef'.indexOf(String.fromCharCode(code));
  return at < 0 ? NO_DIGIT : at;
});
