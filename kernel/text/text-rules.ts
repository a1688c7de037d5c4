/**
 * Rules for all input texts. The stores handle U+0000 differently and silently replace lone surrogates, after which a
 * stored content id no longer matches. So the node refuses both in its input.
 */

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;
const WHITE_SPACE = /[\s\u0085]/;

/** Returns true when the text contains U+0000 or a surrogate without its other half. */
export const hasForbiddenCodePoint = (text: string): boolean => !text.isWellFormed() || text.includes('\u0000');

/** Returns true when the text contains no control character: C0, DEL and C1. */
export const isControlFree = (text: string): boolean => !CONTROL.test(text);

/** Returns true when the text contains Unicode white space. */
export const hasWhiteSpace = (text: string): boolean => WHITE_SPACE.test(text);

/** Returns true when the text has at most `limit` characters (code points). Reads only a limited part of it. */
export const isWithinCharacters = (text: string, limit: number): boolean => {
  if (text.length <= limit) return true;
  if (text.length > limit * 2) return false;
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    if (text.charCodeAt(at) >> 10 === HIGH_SURROGATE && text.charCodeAt(at + 1) >> 10 === LOW_SURROGATE) pairs += 1;
  }
  return text.length - pairs <= limit;
};

/** Returns true when the text takes at most `limit` bytes in UTF-8. */
export const isWithinBytes = (text: string, limit: number): boolean =>
  text.length * MAX_BYTES_PER_UNIT <= limit || (text.length <= limit && Buffer.byteLength(text, 'utf8') <= limit);

const HIGH_SURROGATE = 0xd800 >> 10;
const LOW_SURROGATE = 0xdc00 >> 10;
const MAX_BYTES_PER_UNIT = 3;
