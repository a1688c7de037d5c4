import * as crypto from 'node:crypto';

/** Lower-case hex SHA-256 of the bytes, or of the UTF-8 form of the text. */
export const sha256Hex: (data: string | Uint8Array) => string =
  // `crypto.hash` is one call instead of three objects; some runtimes lack it.
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data, 'hex')
    : (data) => crypto.createHash('sha256').update(data).digest('hex');
