import * as crypto from 'node:crypto';

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export const sha256: (data: string | Uint8Array) => Buffer =
  // The one call of `crypto.hash` costs a quarter of the objects of `createHash`, above all in hexadecimal. Some
  // runtimes lack it.
  typeof crypto.hash === 'function'
    ? (data) => Buffer.from(crypto.hash('sha256', data, 'hex'), 'hex')
    : (data) => crypto.createHash('sha256').update(data).digest();
