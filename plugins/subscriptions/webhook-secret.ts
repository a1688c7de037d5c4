import { createCipheriv, createDecipheriv } from 'node:crypto';
import { decodeBase64Url, encodeBase64Url, type Random } from '../../kernel/plugin-api.ts';

/** Secrets of webhooks: drawn here, shown once, and kept so that the store alone does not give them away (reliability A5.4). */
export interface WebhookSecrets {
  /** `whsec_` and 32 random bytes in base64, as Standard Webhooks spells them. */
  draw(): string;
  /** Bound to the subscription: the text is good for that one alone. */
  seal(secret: string, subscriptionId: string): string;
  /** Throws when the text was damaged, belongs to another subscription, or was made under a key that the node has no longer. */
  open(sealed: string, subscriptionId: string): string;
}

export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = 'aes-256-gcm';

/** `key`, which seals, and those that it has replaced, which open what they have sealed: 32 bytes each. */
export const createWebhookSecrets = (
  key: Uint8Array,
  retired: readonly Uint8Array[],
  random: Random,
): WebhookSecrets => ({
  draw: () => SECRET_PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64'),
  seal: (secret, subscriptionId) => {
    const nonce = random.bytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(subscriptionId));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return encodeBase64Url(Buffer.concat([nonce, cipher.getAuthTag(), text]));
  },
  open: (sealed, subscriptionId) => {
    const bytes = decodeBase64Url(sealed);
    if (bytes === null || bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('a webhook secret is damaged');
    const openWith = (known: Uint8Array): string => {
      const decipher = createDecipheriv(CIPHER, known, bytes.subarray(0, NONCE_BYTES));
      decipher.setAAD(Buffer.from(subscriptionId));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      return decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
    };
    for (const known of [key, ...retired]) {
      try {
        return openWith(known);
      } catch {
        // Made under another of the keys, or under none of them.
      }
    }
    throw new Error('a webhook secret cannot be opened with the keys that the node has');
  },
});
