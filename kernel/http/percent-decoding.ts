/**
 * Decodes percent-encoding once. Undefined for broken encoding, invalid UTF-8 (overlong forms and surrogates included),
 * U+0000, and characters that must be encoded and are not.
 */
export const decodePercent = (text: string): string | undefined => {
  if (PLAIN.test(text)) return text;
  if (!ASCII.test(text)) return undefined;
  try {
    const decoded = decodeURIComponent(text);
    return decoded.includes('\0') ? undefined : decoded;
  } catch {
    return undefined;
  }
};

/** The same for `application/x-www-form-urlencoded`, where a plus sign is a blank. */
export const decodeFormText = (text: string): string | undefined => decodePercent(text.replaceAll('+', ' '));

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
const ASCII = /^[\x20-\x7e]*$/;
