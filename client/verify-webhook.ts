import { FactMemoryError } from './client-errors.ts';
import type { SubscriptionEvent } from './follow-events.ts';
import { PLATFORM } from './platform.ts';

export interface WebhookOptions {
  /** The maximum difference between the time of the delivery and now, in either direction. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Replaces the time of this machine, in milliseconds since 1970. */
  readonly now?: number;
}

/** Headers as `Headers`, or as an object with their names in any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/**
 * The node did not send the delivery, or its time is too far from now. Reply with a 4xx, and do not act on the
 * delivery.
 */
export class WebhookError extends FactMemoryError {
  override readonly name = 'WebhookError';
}

const TOLERANCE_S = 300;
const MAX_SIGNATURES = 16;
const SECRET_PREFIX = 'whsec_';

/**
 * Verifies a delivery by Standard Webhooks and returns its event. `body` must be the received bytes or text, before any
 * parsing. After a rotation the node signs with the old and the new secret for a time, and a receiver may pass several
 * secrets. Rejects with a `WebhookError` for a signature with another secret, and for a delivery that is too old or
 * from the future. A delivery can arrive twice, with the same `event_id`.
 */
export const verifyWebhook = async (
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { toleranceSeconds = TOLERANCE_S, now = PLATFORM.now() }: WebhookOptions = {},
): Promise<SubscriptionEvent> => {
  const id = headerOf(headers, 'webhook-id');
  const timestamp = headerOf(headers, 'webhook-timestamp');
  const signatures = headerOf(headers, 'webhook-signature').split(' ').slice(0, MAX_SIGNATURES);
  if (!/^\d{1,12}$/.test(timestamp)) throw refused('the header webhook-timestamp is no time');
  if (Math.abs(now / 1_000 - Number(timestamp)) > toleranceSeconds) {
    throw refused('the delivery is too old, or the clock of this machine is wrong');
  }
  const text = typeof body === 'string' ? body : new TextDecoder('utf-8', { ignoreBOM: true }).decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  for (const one of [secret].flat()) {
    const key = await importSecret(one);
    for (const signature of signatures) {
      if (!signature.startsWith('v1,')) continue;
      const bytes = fromBase64(signature.slice('v1,'.length));
      if (bytes !== undefined && (await crypto.subtle.verify('HMAC', key, bytes, signed))) return parseEvent(text);
    }
  }
  throw refused('no signature of the delivery fits the secret');
};

const headerOf = (headers: WebhookHeaders, name: string): string => {
  const found =
    typeof headers['get'] === 'function'
      ? (headers as { get(name: string): string | null }).get(name)
      : Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1];
  const value = typeof found === 'string' ? found : undefined;
  if (value === undefined || value === '') throw refused(`the header ${name} is missing`);
  return value;
};

const importSecret = async (secret: string) => {
  const bytes = fromBase64(secret.startsWith(SECRET_PREFIX) ? secret.slice(SECRET_PREFIX.length) : secret);
  if (bytes === undefined || bytes.length === 0) throw new TypeError('a secret of webhooks is "whsec_" and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
};

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> | undefined => {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
};

const parseEvent = (text: string): SubscriptionEvent => {
  try {
    return JSON.parse(text) as SubscriptionEvent;
  } catch {
    throw refused('the body of the delivery is no JSON');
  }
};

const refused = (detail: string): WebhookError => new WebhookError({ status: 0, code: 'invalid_signature', detail });
