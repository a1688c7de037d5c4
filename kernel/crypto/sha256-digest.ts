import * as crypto from 'node:crypto';

/** Returns the SHA-256 in lower-case hex of bytes, or of a text in UTF-8. */
export const sha256Hex: (data: string | Uint8Array) => string =
  // `crypto.hash` is one call instead of three objects; some runtimes lack it.
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data, 'hex')
    : (data) => crypto.createHash('sha256').update(data).digest('hex');
