import { createCipheriv, createDecipheriv } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url } from '../../kernel/internal-api.ts';
import type { Random } from '../../kernel/plugin-api.ts';

/** Encrypts texts, so that the store alone does not reveal them. */
export interface SealedTexts {
  /** Encrypts the text for `owner`: in another row it cannot be decrypted. */
  seal(text: string, owner: string): string;
  /** Decrypts a text. Throws for a damaged text, for another owner, and for a key that the node no longer has. */
  open(sealed: string, owner: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** Creates the encryption from keys of 32 bytes. The first key encrypts and decrypts; the former keys only decrypt. */
export const createSealedTexts = (
  [current, ...retired]: readonly [Uint8Array, ...Uint8Array[]],
  random: Random,
): SealedTexts => ({
  seal: (text, owner) => {
    const nonce = random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, current, nonce).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return encodeBase64Url(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
  },
  open: (sealed, owner) => {
    const bytes = decodeBase64Url(sealed);
    if (bytes === null || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('a sealed text is damaged');
    for (const key of [current, ...retired]) {
      try {
        return openWith(key, bytes, owner);
      } catch {
        // This key cannot decrypt the text, so the next one is tried.
      }
    }
    throw new Error('a sealed text cannot be opened with the keys that the node has');
  },
});

const openWith = (key: Uint8Array, bytes: Uint8Array, owner: string): string => {
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES)).setAAD(Buffer.from(owner));
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8');
  return text + decipher.final('utf8');
};
