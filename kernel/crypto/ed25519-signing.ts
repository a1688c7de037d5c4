import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';

/** Signs with one Ed25519 key (RFC 8032). */
export interface Signer {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** 64 bytes, the same for the same bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** `seed` is the 32-byte private key of RFC 8032; the caller draws it. Throws RangeError for another length. */
export const createSigner = (seed: Uint8Array): Signer => {
  if (seed.length !== SEED_BYTES) throw new RangeError(`an Ed25519 seed has ${SEED_BYTES} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(SPKI_PREFIX.length)),
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
  };
};

/**
 * True when `signature` is one of `publicKey` over `bytes`. Strict, so that every party agrees: never true for a wrong
 * length, a key that is not canonically encoded or of low order (for which one signature fits many messages), or an S
 * that is not reduced (which would make a second valid signature of any first).
 */
export const verifyEd25519 = (publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean => {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return false;
  if (!isBelow(signature.subarray(32), GROUP_ORDER)) return false;
  const key = keyObjectOf(publicKey);
  return key !== null && verify(null, bytes, key, signature);
};

/** Key objects take longer to make than signatures to compare with, and the same few keys come again and again. */
const MAX_CACHED_KEYS = 1024;
const keyObjects = new Map<string, KeyObject>();

const keyObjectOf = (publicKey: Uint8Array): KeyObject | null => {
  const id = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength).toString('latin1');
  const known = keyObjects.get(id);
  if (known !== undefined) return known;
  if (!isSoundKey(publicKey)) return null;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  // A map remembers insertion, so its first key is the oldest.
  if (keyObjects.size >= MAX_CACHED_KEYS) keyObjects.delete(keyObjects.keys().next().value as string);
  keyObjects.set(id, key);
  return key;
};

const isSoundKey = (publicKey: Uint8Array): boolean => {
  const y = Uint8Array.from(publicKey);
  // The top bit is the sign of x and no part of y.
  y[31] = (y[31] as number) & 0x7f;
  return isBelow(y, FIELD_PRIME) && !LOW_ORDER_Y.some((low) => Buffer.compare(low, y) === 0);
};

/** Compares 32-byte little-endian numbers. Both are public, so the time it takes tells nothing. */
const isBelow = (value: Uint8Array, bound: Uint8Array): boolean => {
  for (let at = 31; at >= 0; at -= 1) {
    const difference = (value[at] as number) - (bound[at] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
};

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** What comes before the raw key in its DER forms (RFC 8410). */
const PKCS8_PREFIX = bytesOf('302e020100300506032b657004220420');
const SPKI_PREFIX = bytesOf('302a300506032b6570032100');

/** Little-endian: L = 2^252 + 27742317777372353535851937790883648493, and p = 2^255 - 19. */
const GROUP_ORDER = bytesOf('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');
const FIELD_PRIME = bytesOf('edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f');

/** The y coordinates of the eight points whose order divides 8. */
const LOW_ORDER_Y: readonly Buffer[] = [
  '0000000000000000000000000000000000000000000000000000000000000000',
  '0100000000000000000000000000000000000000000000000000000000000000',
  'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05',
  'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
].map(bytesOf);
