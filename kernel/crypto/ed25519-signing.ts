import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { Point } from '@noble/ed25519';

/** Signs with one Ed25519 key (RFC 8032). */
export interface Signer {
  /** The public key of 32 bytes. */
  readonly publicKey: Uint8Array;
  /** Returns a signature of 64 bytes, the same one for equal bytes. */
  sign(bytes: Uint8Array): Uint8Array;
  /** Signs like `sign`, but on a thread of the runtime instead of the event loop. */
  signApart(bytes: Uint8Array): Promise<Uint8Array>;
}

export const SEED_BYTES = 32;
export const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/**
 * Creates a signer. `seed` is the 32-byte private key of RFC 8032, which the caller draws. Throws a RangeError for
 * another length.
 */
export const createSigner = (seed: Uint8Array): Signer => {
  if (seed.length !== SEED_BYTES) throw new RangeError(`an Ed25519 seed has ${SEED_BYTES} bytes`);
  const key = createPrivateKey({ key: Buffer.concat([PKCS8_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' });
  return {
    publicKey: new Uint8Array(spki.subarray(SPKI_PREFIX.length)),
    sign: (bytes) => new Uint8Array(sign(null, bytes, key)),
    signApart: (bytes) =>
      new Promise((resolve, reject) =>
        sign(null, bytes, key, (error, signature) => (error ? reject(error) : resolve(new Uint8Array(signature)))),
      ),
  };
};

/**
 * Returns whether the owner of `publicKey` has signed `bytes` with `signature`. The check is strict, so that every
 * party agrees. It refuses a wrong length and a key that is not canonically encoded. It refuses a key of low order, for
 * which one signature fits many messages. It refuses an S that is not reduced, which would be a second valid signature.
 */
export const verifyEd25519 = (publicKey: Uint8Array, bytes: Uint8Array, signature: Uint8Array): boolean => {
  const key = keyToVerifyBy(publicKey, signature);
  return key !== null && verify(null, bytes, key, signature);
};

/** Verifies like `verifyEd25519`, but on a thread of the runtime instead of the event loop. Never rejects. */
export const verifyEd25519Apart = (
  publicKey: Uint8Array,
  bytes: Uint8Array,
  signature: Uint8Array,
): Promise<boolean> => {
  const key = keyToVerifyBy(publicKey, signature);
  if (key === null) return Promise.resolve(false);
  return new Promise((resolve) =>
    verify(null, bytes, key, signature, (error, good) => resolve(error === null && good)),
  );
};

/** Returns the key object for a verification; null when no signature of this form can be valid for this key. */
const keyToVerifyBy = (publicKey: Uint8Array, signature: Uint8Array): KeyObject | null => {
  if (publicKey.length !== PUBLIC_KEY_BYTES || signature.length !== SIGNATURE_BYTES) return null;
  return isBelow(signature.subarray(32), GROUP_ORDER) ? keyObjectOf(publicKey) : null;
};

/** The maximum number of cached key objects. Creating one takes longer than using it, and few keys occur often. */
const MAX_CACHED_KEYS = 1024;
const keyObjects = new Map<string, KeyObject>();

const keyObjectOf = (publicKey: Uint8Array): KeyObject | null => {
  const id = Buffer.from(publicKey.buffer, publicKey.byteOffset, publicKey.byteLength).toString('latin1');
  const known = keyObjects.get(id);
  if (known !== undefined) return known;
  if (!isSoundKey(publicKey)) return null;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
  // A map keeps the order of insertion, so its first key is the oldest.
  if (keyObjects.size >= MAX_CACHED_KEYS) keyObjects.delete(keyObjects.keys().next().value as string);
  keyObjects.set(id, key);
  return key;
};

/**
 * Returns whether a key is canonically encoded, on the curve and not of low order. Called once per key, so a slow
 * library is acceptable.
 */
const isSoundKey = (publicKey: Uint8Array): boolean => {
  try {
    return !Point.fromBytes(publicKey).isSmallOrder();
  } catch {
    return false;
  }
};

/** Compares 32-byte little-endian numbers. Both are public, so timing reveals nothing. */
const isBelow = (value: Uint8Array, bound: Uint8Array): boolean => {
  for (let at = 31; at >= 0; at -= 1) {
    const difference = (value[at] as number) - (bound[at] as number);
    if (difference !== 0) return difference < 0;
  }
  return false;
};

const bytesOf = (hex: string): Buffer => Buffer.from(hex, 'hex');

/** The bytes before the raw key in its DER forms (RFC 8410). */
const PKCS8_PREFIX = bytesOf('302e020100300506032b657004220420');
const SPKI_PREFIX = bytesOf('302a300506032b6570032100');

/** Little-endian: L = 2^252 + 27742317777372353535851937790883648493. */
const GROUP_ORDER = bytesOf('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010');
