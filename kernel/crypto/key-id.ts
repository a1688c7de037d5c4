import { decodeBase64Url } from './base64url.ts';
import { sha256Hex } from './sha256-digest.ts';

const KEY_ID_LENGTH = 16;

/**
 * Returns the id by which signatures, markers and receipts name a signing key: the first 16 hex digits of the SHA-256
 * of its public key. Takes the public key as bytes or in base64url.
 */
export const keyIdOf = (publicKey: Uint8Array | string): string => {
  const bytes = typeof publicKey === 'string' ? (decodeBase64Url(publicKey) ?? new Uint8Array()) : publicKey;
  return sha256Hex(bytes).slice(0, KEY_ID_LENGTH);
};
