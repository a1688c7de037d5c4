/**
 * Decodes percent-encoding once. Undefined for broken encoding, invalid UTF-8 (overlong forms and surrogates included)
 * and U+0000. Bytes that were sent raw count as UTF-8, because sloppy clients send names that way.
 */
export const decodePercent = (text: string): string | undefined => {
  if (PLAIN.test(text)) return text;
  if (BEYOND_BYTES.test(text)) return undefined;
  try {
    const decoded = decodeURIComponent(text.replace(RAW_BYTE, encodeByte));
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** The same for `application/x-www-form-urlencoded`, where a plus sign is a blank. */
export const decodeFormText = (text: string): string | undefined => decodePercent(text.replaceAll('+', ' '));

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
/** A transport hands over the bytes of a target one by one, each as a character below U+0100. */
const RAW_BYTE = /[\x80-\xff]/g;
const BEYOND_BYTES = /[^\x00-\xff]/;
const encodeByte = (byte: string): string => `%${byte.charCodeAt(0).toString(16)}`;
