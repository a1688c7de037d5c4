import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomFillSync } from 'node:crypto';
import { hmacSha256 } from './sha256.ts';

const CIPHER = 'aes-256-gcm';
const BLOCK_CIPHER = 'aes-256-ecb';
const STREAM_CIPHER = 'aes-256-ctr';
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;

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

const NOTHING = new Uint8Array();

/** Returns a key for one use, derived from a key of the tree. */
export const derivedKey = (key: Uint8Array, use: string): Buffer => hmacSha256(key, use);

/** Returns `header`, a nonce, the sealed bytes or text, their tag and `rest`. `place` is authenticated with them. */
export const sealWithHeader = (
  header: Uint8Array,
  content: Uint8Array | string,
  key: Uint8Array,
  place: Uint8Array,
  rest: Uint8Array = NOTHING,
): Buffer => {
  const nonce = drawNonce();
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(place);
  const sealed = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
  cipher.final();
  const tag = cipher.getAuthTag();
  // Set one by one, because `concat` costs twice as much for so few bytes.
  const whole = Buffer.allocUnsafe(header.length + NONCE_BYTES + sealed.length + TAG_BYTES + rest.length);
  whole.set(header);
  let at = header.length;
  for (const part of [nonce, sealed, tag, rest]) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
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
  return combined(hmacSha256(seed, `salt ${factId}`), salt);
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

/** The keys of `hideBytes`. Each has one use, so that no digest of one tells anything about another. */
export interface HidingKeys {
  readonly nonce: Buffer;
  readonly mask: Buffer;
  readonly stream: Buffer;
}

export const hidingKeys = (key: Uint8Array): HidingKeys => ({
  nonce: derivedKey(key, 'nonce'),
  mask: derivedKey(key, 'mask'),
  stream: derivedKey(key, 'stream'),
});

/**
 * Seals so that equal texts of one place give equal bytes: a synthetic nonce, as in P. Rogaway and T. Shrimpton,
 * "Deterministic authenticated-encryption", 2006.
 */
export const hideBytes = (bytes: Uint8Array, keys: HidingKeys, place: Uint8Array): Buffer => {
  const nonce = syntheticNonce(bytes, keys, place);
  return Buffer.concat([nonce, masked(bytes, keys, nonce)]);
};

/** Opens what `hideBytes` returned; undefined when it is not genuine. */
export const showBytes = (hidden: Uint8Array, keys: HidingKeys, place: Uint8Array): Buffer | undefined => {
  if (hidden.length < BLOCK_BYTES) return undefined;
  const nonce = hidden.subarray(0, BLOCK_BYTES);
  const bytes = masked(hidden.subarray(BLOCK_BYTES), keys, nonce);
  return syntheticNonce(bytes, keys, place).equals(nonce) ? bytes : undefined;
};

/** Masks bytes with those that follow from a nonce, or takes that mask away. */
const masked = (bytes: Uint8Array, keys: HidingKeys, nonce: Uint8Array): Buffer => {
  // A digest masks a commitment for a third of the time of a cipher, which leaves an object in native memory.
  if (bytes.length <= DIGEST_BYTES) return combined(hmacSha256(keys.mask, nonce), bytes);
  return createCipheriv(STREAM_CIPHER, keys.stream, nonce).update(bytes);
};

/** Changes the first bytes of a mask into the exclusive or of them and these bytes, and returns them. */
const combined = (mask: Buffer, bytes: Uint8Array): Buffer => {
  for (let at = 0; at < bytes.length; at += 1) mask[at] = (mask[at] as number) ^ (bytes[at] as number);
  return mask.subarray(0, bytes.length);
};

const syntheticNonce = (bytes: Uint8Array, keys: HidingKeys, place: Uint8Array): Buffer => {
  const { length } = place;
  const spelled = Buffer.of(length >>> 24, length >>> 16, length >>> 8, length);
  return hmacSha256(keys.nonce, spelled, place, bytes).subarray(0, BLOCK_BYTES);
};
