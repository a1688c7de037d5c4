import { type Cipher, createCipheriv, createDecipheriv, type Decipher, randomFillSync } from 'node:crypto';
import { Scratch } from './scratch.ts';
import { hmacSha256, hmacText } from './sha256.ts';

const CIPHER = 'aes-256-gcm';
const BLOCK_CIPHER = 'aes-256-ecb';
const STREAM_CIPHER = 'aes-256-ctr';
export const NONCE_BYTES = 12;
export const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
const SALT_BYTES = 16;
const DIGEST_BYTES = 32;
const LENGTH_BYTES = 4;

/** The nonces that were drawn at once, because one draw of many bytes costs as much as one of few. */
const POOL = Buffer.alloc(NONCE_BYTES * 512);
const NONCES = Array.from({ length: 512 }, (_, at) => POOL.subarray(at * NONCE_BYTES, (at + 1) * NONCE_BYTES));
let drawn = NONCES.length;

/** Returns a random nonce, which no other call gets. Its bytes count only until the next call. */
const drawNonce = (): Buffer => {
  if (drawn === NONCES.length) {
    randomFillSync(POOL);
    drawn = 0;
  }
  drawn += 1;
  return NONCES[drawn - 1] as Buffer;
};

const NOTHING = new Uint8Array();

/** Returns a key for one use, derived from a key of the tree. */
export const derivedKey = (key: Uint8Array, use: string): Buffer => hmacSha256(key, use);

/** The associated data of one call. */
const ASSOCIATED = new Scratch(1_024);

/**
 * Returns `header`, a nonce, the sealed bytes or text, their tag and `rest`. The seal also proves `rest` and the place.
 */
export const sealWithHeader = (
  header: Uint8Array,
  content: Uint8Array | string,
  key: Uint8Array,
  place: string,
  rest: Uint8Array = NOTHING,
): Buffer => {
  const nonce = drawNonce();
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(ASSOCIATED.spell(0, [rest, place]));
  const sealed = typeof content === 'string' ? cipher.update(content, 'utf8') : cipher.update(content);
  cipher.final();
  // Set one by one, because `concat` costs twice as much for so few bytes.
  const whole = Buffer.allocUnsafe(header.length + NONCE_BYTES + sealed.length + TAG_BYTES + rest.length);
  whole.set(header);
  whole.set(nonce, header.length);
  let at = header.length + NONCE_BYTES;
  whole.set(sealed, at);
  at += sealed.length;
  whole.set(cipher.getAuthTag(), at);
  whole.set(rest, at + TAG_BYTES);
  return whole;
};

/**
 * Opens the nonce, sealed bytes and tag that `sealWithHeader` wrote between `header` and `rest`. Returns undefined if
 * they are not genuine.
 */
export const openSealed = (
  sealed: Uint8Array,
  key: Uint8Array,
  place: string,
  rest: Uint8Array = NOTHING,
): Buffer | undefined => {
  if (sealed.length < NONCE_BYTES + TAG_BYTES) return undefined;
  const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAAD(ASSOCIATED.spell(0, [rest, place])).setAuthTag(sealed.subarray(-TAG_BYTES));
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
  return combined(hmacText(seed, 'salt ', factId), salt);
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

/** The parts of the name of a place. Two different places must not give the same bytes when their parts are joined. */
type PlaceParts = readonly (string | Uint8Array)[];

/**
 * Seals so that equal texts of one place give equal bytes: a synthetic nonce, as in P. Rogaway and T. Shrimpton,
 * "Deterministic authenticated-encryption", 2006.
 */
export const hideBytes = (bytes: Uint8Array, keys: HidingKeys, ...place: PlaceParts): Buffer => {
  const hidden = Buffer.allocUnsafe(BLOCK_BYTES + bytes.length);
  hidden.set(syntheticNonce(bytes, keys, place));
  hidden.set(masked(bytes, keys), BLOCK_BYTES);
  return hidden;
};

/** Opens what `hideBytes` returned; undefined when it is not genuine. */
export const showBytes = (hidden: Uint8Array, keys: HidingKeys, ...place: PlaceParts): Buffer | undefined => {
  if (hidden.length < BLOCK_BYTES) return undefined;
  const nonce = hidden.subarray(0, BLOCK_BYTES);
  SYNTHETIC.set(nonce);
  const bytes = masked(hidden.subarray(BLOCK_BYTES), keys);
  return syntheticNonce(bytes, keys, place).equals(nonce) ? bytes : undefined;
};

/** The nonce of the call at hand. */
const SYNTHETIC = Buffer.alloc(BLOCK_BYTES);

/** Masks bytes with those that follow from the nonce of the call at hand, or takes that mask away. */
const masked = (bytes: Uint8Array, keys: HidingKeys): Buffer => {
  // A digest masks a commitment for a third of the time of a cipher, which leaves an object in native memory.
  if (bytes.length <= DIGEST_BYTES) return combined(hmacText(keys.mask, SYNTHETIC), bytes);
  return createCipheriv(STREAM_CIPHER, keys.stream, SYNTHETIC).update(bytes);
};

/** Returns the exclusive or of the first characters of a mask and bytes. */
const combined = (mask: string, bytes: Uint8Array): Buffer => {
  const both = Buffer.allocUnsafe(bytes.length);
  for (let at = 0; at < bytes.length; at += 1) both[at] = mask.charCodeAt(at) ^ (bytes[at] as number);
  return both;
};

const LENGTH = Buffer.alloc(LENGTH_BYTES);

/** Replaces the nonce of the call at hand by that of these bytes. */
const syntheticNonce = (bytes: Uint8Array, keys: HidingKeys, place: PlaceParts): Buffer => {
  // The length tells where the bytes end and the place begins.
  LENGTH.writeUInt32BE(bytes.length);
  const digest = hmacText(keys.nonce, LENGTH, bytes, ...place);
  for (let at = 0; at < BLOCK_BYTES; at += 1) SYNTHETIC[at] = digest.charCodeAt(at);
  return SYNTHETIC;
};
