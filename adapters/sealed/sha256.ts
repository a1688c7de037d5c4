import * as crypto from 'node:crypto';

const BLOCK_BYTES = 64;
const DIGEST_BYTES = 32;
const INNER = 0x36;
const OUTER = 0x5c;

/** Returns the SHA-256 of bytes, one character for each byte. */
const digestText: (data: string | Uint8Array) => string =
  // The one call of `crypto.hash` costs a quarter of the objects of `createHash`, above all as a text. Some runtimes
  // lack it.
  typeof crypto.hash === 'function'
    ? (data) => crypto.hash('sha256', data, 'binary')
    : (data) => crypto.createHash('sha256').update(data).digest('binary');

/** Writes the SHA-256 of bytes to a place of `target`, which may be the same bytes. */
export const sha256Into = (data: string | Uint8Array, target: Uint8Array, from = 0): void => {
  const digest = digestText(data);
  // A loop costs less than a call into native code for so few bytes.
  for (let at = 0; at < DIGEST_BYTES; at += 1) target[from + at] = digest.charCodeAt(at);
};

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export const sha256 = (data: string | Uint8Array): Buffer => {
  const digest = Buffer.allocUnsafe(DIGEST_BYTES);
  sha256Into(data, digest);
  return digest;
};

const OUTER_BLOCK = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
/** Short messages are spelled here, because an object for each costs more than its hash. */
const INNER_BLOCK = Buffer.alloc(BLOCK_BYTES + 1_024);

/**
 * Returns the HMAC-SHA-256 of a message under a key of at most 64 bytes. The message is its parts, one after another.
 * Two hashes cost a third of `createHmac`, whose object in native memory has to be collected.
 */
export const hmacSha256 = (key: Uint8Array, ...message: readonly (string | Uint8Array)[]): Buffer => {
  if (key.length > BLOCK_BYTES) throw new RangeError('a key of a keyed digest has at most 64 bytes');
  let end = BLOCK_BYTES;
  for (const part of message) end += typeof part === 'string' ? Buffer.byteLength(part) : part.length;
  const block = end <= INNER_BLOCK.length ? INNER_BLOCK : Buffer.allocUnsafe(end);
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = key[at] ?? 0;
    block[at] = byte ^ INNER;
    OUTER_BLOCK[at] = byte ^ OUTER;
  }
  let at = BLOCK_BYTES;
  for (const part of message) {
    if (typeof part === 'string') at += block.write(part, at);
    else {
      block.set(part, at);
      at += part.length;
    }
  }
  sha256Into(block.subarray(0, end), OUTER_BLOCK, BLOCK_BYTES);
  return sha256(OUTER_BLOCK);
};
