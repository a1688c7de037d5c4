import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';
import { type ContentSeal, ServiceError } from '../../ports/ports.ts';

const KEY = Buffer.alloc(32, 7);
const TEXT = 'sealed:1:';

const seal = (place: unknown, bytes: Uint8Array, nonce: Uint8Array = randomBytes(12)): Buffer => {
  const cipher = createCipheriv('aes-256-gcm', KEY, nonce).setAAD(Buffer.from(JSON.stringify(place)));
  const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
};

const open = (place: unknown, sealed: Uint8Array): Buffer => {
  try {
    const decipher = createDecipheriv('aes-256-gcm', KEY, sealed.subarray(0, 12));
    decipher.setAAD(Buffer.from(JSON.stringify(place))).setAuthTag(sealed.subarray(12, 28));
    return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]);
  } catch {
    throw new ServiceError('unavailable', 'a sealed text cannot be opened');
  }
};

const unfold = (place: unknown, text: string): string =>
  text.startsWith(TEXT) ? open(place, Buffer.from(text.slice(TEXT.length), 'base64url')).toString() : text;

type Texts = Pick<ContentSeal, 'sealText' | 'openText' | 'hideText' | 'showText' | 'sealBytes' | 'openBytes'>;

/** Seals the texts of plugins with one fixed key. Facts are not sealed. */
export const fixedContentSeal = (): ContentSeal => {
  const texts: Texts = {
    sealText: ({ owner: _, ...place }, text) => TEXT + seal(place, Buffer.from(text)).toString('base64url'),
    openText: (place, text) => unfold(place, text),
    hideText: (place, text) => {
      const nonce = createHmac('sha256', KEY)
        .update(JSON.stringify([place, text]))
        .digest()
        .subarray(0, 12);
      return TEXT + seal(place, Buffer.from(text), nonce).toString('base64url');
    },
    showText: (place, text) => unfold(place, text),
    sealBytes: ({ owner: _, ...place }, bytes) => seal(place, bytes),
    openBytes: (place, sealed) => open(place, sealed),
  };
  return texts as ContentSeal;
};
