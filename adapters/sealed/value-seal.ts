import { type Cipher, createCipheriv, createDecipheriv, createHmac, type Decipher, randomFillSync } from 'node:crypto';
import { hmacSha256 } from './sha256.ts';

const CIPHER = 'aes-256-gcm';
const BLOCK_CIPHER = 'aes-256-ecb';
const STREAM_CIPHER = 'aes-256-ctr';
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const SALT_BYTES = 16;

/** The nonces that were drawn at once, because one draw of many bytes costs as much as one of few. */
const POOL = Buffer.alloc(NONCE_BYTES * 512);
let drawn = POOL.length;

/** Returns a random nonce, which no other call gets. */
export const drawNonce = (): Buffer => {
  if (drawn === POOL.length) {
    randomFillSync(POOL);
    drawn = 0;
  }
  drawn += NONCE_BYTES;
  return Buffer.from(POOL.subarray(drawn - NONCE_BYTES, drawn));
};

/** Returns a key for one use, derived from a key of the tree. */
export const derivedKey = (key: Uint8Array, use: string): Buffer => hmacSha256(key, use);

/** Returns `header`, a nonce, the sealed bytes and their tag. `place` is authenticated with them. */
export const sealWithHeader = (header: Uint8Array, bytes: Uint8Array, key: Uint8Array, place: Uint8Array): Buffer => {
  const nonce = drawNonce();
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(place);
  const sealed = cipher.update(bytes);
  cipher.final();
  return Buffer.concat([header, nonce, sealed, cipher.getAuthTag()]);
};

/** Opens what `sealWithHeader` returned, without the header; undefined when it is not genuine. */
export const openSealed = (sealed: Uint8Array, key: Uint8Array, place: Uint8Array): Buffer | undefined => {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(place).setAuthTag(sealed.subarray(-TAG_BYTES));
  const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES));
  try {
    decipher.final();
  } catch {
    return undefined;
  }
  return opened;
};

/**
 * Hides the salt of a fact, or shows a hidden one, by random bytes that belong to this fact alone. It takes no cipher,
 * of which each entity would keep one in native memory.
 */
export const maskSalt = (seed: Uint8Array, factId: string, salt: Uint8Array): Buffer => {
  if (salt.length !== SALT_BYTES) throw new RangeError('a salt has 16 bytes');
  const masked = hmacSha256(seed, `salt ${factId}`).subarray(0, SALT_BYTES);
  for (let at = 0; at < SALT_BYTES; at += 1) masked[at] = (masked[at] as number) ^ (salt[at] as number);
  return masked;
};

/** Permutes blocks of 16 bytes. */
export interface BlockPermutation {
  hide(blocks: Uint8Array): Buffer;
  show(hidden: Uint8Array): Buffer;
}

/**
 * Returns a permutation for digests. It treats each block alone, which is safe for uniformly random blocks:
 * no two of them are equal. The ciphers are used again and again, because this mode has no state.
 */
export const createBlockPermutation = (key: Uint8Array): BlockPermutation => {
  let cipher: Cipher | undefined;
  let decipher: Decipher | undefined;
  const whole = (blocks: Uint8Array): Uint8Array => {
    // A part of a block would stay in the cipher and move everything after it.
    if (blocks.length % BLOCK_BYTES !== 0) throw new RangeError('a permutation takes whole blocks of 16 bytes');
    return blocks;
  };
  // Made at the first use, because most processes that only read need one of them.
  return {
    hide: (blocks) => {
      cipher ??= createCipheriv(BLOCK_CIPHER, key, null).setAutoPadding(false);
      return cipher.update(whole(blocks));
    },
    show: (hidden) => {
      decipher ??= createDecipheriv(BLOCK_CIPHER, key, null).setAutoPadding(false);
      return decipher.update(whole(hidden));
    },
  };
};

/**
 * Seals so that equal texts of one place give equal bytes: a synthetic nonce, as in P. Rogaway and T. Shrimpton,
 * "Deterministic authenticated-encryption", 2006.
 */
export const hideBytes = (bytes: Uint8Array, key: Uint8Array, place: Uint8Array): Buffer => {
  const nonce = syntheticNonce(bytes, key, place);
  const cipher = createCipheriv(STREAM_CIPHER, derivedKey(key, 'stream'), nonce);
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final()]);
};

/** Opens what `hideBytes` returned; undefined when it is not genuine. */
export const showBytes = (hidden: Uint8Array, key: Uint8Array, place: Uint8Array): Buffer | undefined => {
  if (hidden.length < BLOCK_BYTES) return undefined;
  const nonce = hidden.subarray(0, BLOCK_BYTES);
  const decipher = createDecipheriv(STREAM_CIPHER, derivedKey(key, 'stream'), nonce);
  const bytes = Buffer.concat([decipher.update(hidden.subarray(BLOCK_BYTES)), decipher.final()]);
  return syntheticNonce(bytes, key, place).equals(nonce) ? bytes : undefined;
};

const syntheticNonce = (bytes: Uint8Array, key: Uint8Array, place: Uint8Array): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(place.length);
  const mac = createHmac('sha256', derivedKey(key, 'nonce'));
  return mac.update(length).update(place).update(bytes).digest().subarray(0, BLOCK_BYTES);
};
