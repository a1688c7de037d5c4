import { createCipheriv, createDecipheriv } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url, type Random } from '../../kernel/plugin-api.ts';

/** Texts that lie in the store so that the store alone does not give them away. */
export interface SealedTexts {
  /** Good for `owner` alone: moved to another row it cannot be opened. */
  seal(text: string, owner: string): string;
  /**
   * Throws when the text was damaged, belongs to another owner, or was made under a key that the node has no longer.
   */
  open(sealed: string, owner: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** The first key seals; the others, which it has replaced, open what they have sealed. 32 bytes each. */
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
        // Made under another of the keys, or under none of them.
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
