/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64url');

/**
 * Returns the bytes; null for a text that `encodeBase64Url` cannot produce: padding, white space, the other alphabet,
 * or spare bits that are not zero. Two different texts thus never decode to the same bytes.
 */
export const decodeBase64Url = (text: string): Uint8Array | null => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
};
