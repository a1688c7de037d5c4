import { createHmac } from 'node:crypto';
import type { Random } from '../../kernel/plugin-api.ts';
import type { NodeIdentity, RetiredIdentity } from '../node-info/node-info-api.ts';
import { createSealedTexts, type SealedTexts } from './sealed-text.ts';
import type { Subscription, Target } from './subscription-record.ts';

/** The decrypted address of a webhook and its signing secrets. */
export interface Webhook {
  readonly url: string;
  /** The present secret, then the former ones, newest first. */
  readonly secrets: readonly [string, ...string[]];
}

/**
 * Encrypts the secrets and addresses of webhooks with the node's key. An address often contains a secret in its path or
 * query.
 */
export interface WebhookSeals {
  /** Draws a secret: `whsec_` and 32 random bytes in base64, as Standard Webhooks specifies. */
  drawSecret(): string;
  /** Encrypts a secret for one subscription; in another row it cannot be decrypted. */
  sealSecret(secret: string, subscriptionId: string): string;
  sealAddress(url: string, subscriptionId: string): string;
  /**
   * Decrypts the address and the secrets. Throws if the address or the present secret is damaged, belongs to another
   * subscription, or was encrypted with a key that the node has lost.
   */
  open(subscription: Pick<Subscription, 'id' | 'address' | 'secret' | 'formerSecrets'>): Webhook;
  /**
   * Returns digests that are equal for equal requests, but do not help to guess an address. The first one uses the
   * node's present key. The others use its former keys, so that older subscriptions are recognised.
   */
  digests(target: Pick<Target, 'key'>, url: string): readonly [string, ...string[]];
}

export const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = 32;
/** The purposes of the derived keys. */
const SECRETS = 'subscriptions: secrets of webhooks, 1';
const ADDRESSES = 'subscriptions: addresses of webhooks, 1';
const DIGESTS = 'subscriptions: digests of addresses, 1';

export const createWebhookSeals = (
  identity: Pick<NodeIdentity, 'publicKey' | 'deriveSecret' | 'retired'>,
  random: Random,
): WebhookSeals => {
  const keysFor = (purpose: string): [Uint8Array, ...Uint8Array[]] => [
    identity.deriveSecret(purpose),
    ...identity.retired.map((key: RetiredIdentity) => key.deriveSecret(purpose)),
  ];
  let known: { readonly names: string; readonly seals: KeyedSeals } | undefined;
  /** Derives the keys again when the node's keys change. */
  const keyed = (): KeyedSeals => {
    const names = [identity, ...identity.retired].map(({ publicKey }) => publicKey).join(' ');
    if (known?.names !== names) {
      const seals = {
        secrets: createSealedTexts(keysFor(SECRETS), random),
        addresses: createSealedTexts(keysFor(ADDRESSES), random),
        digestKeys: keysFor(DIGESTS),
      };
      known = { names, seals };
    }
    return known.seals;
  };
  return {
    drawSecret: () => SECRET_PREFIX + Buffer.from(random.bytes(SECRET_BYTES)).toString('base64'),
    sealSecret: (secret, id) => keyed().secrets.seal(secret, id),
    sealAddress: (url, id) => keyed().addresses.seal(url, id),
    open: ({ id, address, secret, formerSecrets }) => {
      const { secrets, addresses } = keyed();
      return {
        url: addresses.open(address, id),
        secrets: [secrets.open(secret, id), ...formerSecrets.map((former) => secrets.open(former.secret, id))],
      };
    },
    digests: (target, url) => {
      const text = JSON.stringify([target.key, 'webhook', url]);
      const digest = (key: Uint8Array): string => createHmac('sha256', key).update(text).digest('hex');
      const [current, ...others] = keyed().digestKeys;
      return [digest(current), ...others.map(digest)];
    },
  };
};

interface KeyedSeals {
  readonly secrets: SealedTexts;
  readonly addresses: SealedTexts;
  readonly digestKeys: readonly [Uint8Array, ...Uint8Array[]];
}
