/**
 * Decodes percent-encoding once. Returns undefined for broken encoding, invalid UTF-8 (overlong forms and surrogates
 * included), U+0000, and unencoded characters that need encoding.
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

/** Ends a message about text that `decodePercent` refuses. */
export const UNDECODABLE = 'is not valid percent-encoded UTF-8 text, or holds the character U+0000';

/** Decodes `application/x-www-form-urlencoded`, in which a plus sign is a space. */
export const decodeFormText = (text: string): string | undefined => decodePercent(text.replaceAll('+', ' '));

const PLAIN = /^[\x20-\x24\x26-\x7e]*$/;
const ASCII = /^[\x20-\x7e]*$/;
