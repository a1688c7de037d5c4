import * as crypto from 'node:crypto';
import { Scratch } from './scratch.ts';

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
export const sha256Into = (data: string | Uint8Array, target: Uint8Array, from = 0): void =>
  writeDigest(digestText(data), target, from);

/** Returns the SHA-256 of bytes, or of a text in UTF-8. */
export const sha256 = (data: string | Uint8Array): Buffer => bytesOf(digestText(data));

const OUTER_BLOCK = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES);
const INNER_BLOCK = new Scratch(BLOCK_BYTES + 1_024);

/**
 * Returns the HMAC-SHA-256 of a message under a key of at most 64 bytes, one character for each byte. The message is
 * its parts, one after another. Two hashes cost a third of `createHmac`, whose object in native memory has to be
 * collected.
 */
export const hmacText = (key: Uint8Array, ...message: readonly (string | Uint8Array)[]): string => {
  if (key.length > BLOCK_BYTES) throw new RangeError('a key of a keyed digest has at most 64 bytes');
  const { bytes } = INNER_BLOCK;
  for (let at = 0; at < BLOCK_BYTES; at += 1) {
    const byte = at < key.length ? (key[at] as number) : 0;
    bytes[at] = byte ^ INNER;
    OUTER_BLOCK[at] = byte ^ OUTER;
  }
  sha256Into(INNER_BLOCK.spell(BLOCK_BYTES, message), OUTER_BLOCK, BLOCK_BYTES);
  return digestText(OUTER_BLOCK);
};

/** Returns the bytes of `hmacText`. */
export const hmacSha256 = (key: Uint8Array, ...message: readonly (string | Uint8Array)[]): Buffer =>
  bytesOf(hmacText(key, ...message));

const bytesOf = (digest: string): Buffer => {
  const bytes = Buffer.allocUnsafe(DIGEST_BYTES);
  writeDigest(digest, bytes, 0);
  return bytes;
};

/** A loop costs less than a call into native code for so few bytes. */
const writeDigest = (digest: string, target: Uint8Array, from: number): void => {
  for (let at = 0; at < DIGEST_BYTES; at += 1) target[from + at] = digest.charCodeAt(at);
};
