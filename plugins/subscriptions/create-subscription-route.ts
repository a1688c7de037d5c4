import {
  type Clock,
  hasForbiddenCodePoint,
  memberRefusal,
  type NodeSelf,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type Random,
  type Route,
  ServiceError,
  schema,
  type Transport,
} from '../../kernel/plugin-api.ts';
import type { CapabilityTokens } from '../capability-tokens/capability-tokens-api.ts';
import { CAPABILITY_INVALID } from '../capability-tokens/capability-tokens-api.ts';
import type { AccessCheck } from './access-check.ts';
import { WEBHOOK_PORTS } from './deliver-event.ts';
import { readTarget, type TargetParts } from './read-target.ts';
import type { SubscriptionJson } from './subscription-json.ts';
import {
  EVENT_TYPES,
  type EventType,
  hostOf,
  type Subscription,
  type Target,
  type TargetType,
} from './subscription-record.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import { WEBHOOK_URL_FORBIDDEN } from './subscriptions-words.ts';
import type { WebhookSeals } from './webhook-seals.ts';

export interface CreateParts extends TargetParts {
  readonly self: NodeSelf;
  readonly tables: PluginTables;
  readonly store: SubscriptionStore;
  readonly access: AccessCheck;
  readonly tokens: CapabilityTokens;
  readonly seals: WebhookSeals;
  readonly json: SubscriptionJson;
  readonly transport: Pick<Transport, 'refusal'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly allowPrivate: boolean;
}

interface Body {
  readonly target: string;
  readonly target_type?: TargetType | null;
  readonly on_change: 'webhook';
  readonly webhook_url?: string | null;
  readonly delivery_address?: string | null;
  readonly idempotency_key?: string | null;
  readonly event_types?: readonly EventType[] | null;
  readonly capability_token?: string | null;
}

const MAX_URL_LENGTH = 2048;

/** `POST /v1/subscriptions`. */
export const createSubscriptionRoute = (parts: CreateParts): Route<undefined, undefined, Body> => ({
  method: 'POST',
  path: '/v1/subscriptions',
  summary: 'Subscribe a webhook to an entity, a scope or a garden',
  access: { permission: 'read' },
  dimension: 'subscription_create',
  body: schema<Body>({
    type: 'object',
    properties: {
      target: { type: 'string' },
      target_type: { type: ['string', 'null'], enum: ['entity', 'scope', 'garden', null] },
      on_change: { type: 'string', enum: ['webhook'] },
      webhook_url: { type: ['string', 'null'] },
      delivery_address: { type: ['string', 'null'] },
      idempotency_key: { type: ['string', 'null'], minLength: 1, maxLength: 255 },
      event_types: { type: ['array', 'null'], items: { type: 'string', enum: [...EVENT_TYPES] }, minItems: 1 },
      capability_token: { type: ['string', 'null'] },
    },
    required: ['target', 'on_change'],
  }),
  async handle({ caller, body, header }) {
    const { tokens, self } = parts;
    const url = readAddress(body);
    const key = body.idempotency_key ?? null;
    if (key !== null && hasForbiddenCodePoint(key)) {
      throw memberRefusal('body.idempotency_key', 'has a character that cannot be stored');
    }
    const target = await readTarget(body.target, body.target_type ?? undefined, caller, parts);
    const presented = header(self.names.headers.capability.toLowerCase()) ?? body.capability_token ?? undefined;
    const { tokenId } = await tokens.verify(presented, target.need, caller);
    await refuseForbidden(url, parts);
    const secret = parts.seals.drawSecret();
    const digests = parts.seals.digests(target, url);
    const wanted = recordOf({ body, target, url, tokenId, secret, digest: digests[0] }, caller, parts);
    const { record, isNew } = await parts.store.create(wanted, digests, {
      confirm: (transaction) => confirmRights(wanted, transaction, parts),
      keyFor: (known, transaction) => parts.access.keyFor(known, caller, transaction),
    });
    const shown = parts.json(record);
    return isNew ? { status: 201, body: { ...shown, secret } } : { status: 200, body: shown };
  },
});

const confirmRights = async (
  wanted: Subscription,
  transaction: PluginTransaction,
  { access }: CreateParts,
): Promise<void> => {
  const standing = await access.asOwner(wanted, transaction, async () => ({ revoked: false, result: true }));
  if (standing.revoked) throw new ServiceError(CAPABILITY_INVALID, 'token_revoked: the rights have just ended');
};

/** The address, by either of its names. */
const readAddress = ({ webhook_url, delivery_address }: Body): string => {
  const url = webhook_url ?? delivery_address ?? undefined;
  if (url === undefined) throw memberRefusal('body.webhook_url', 'is required');
  if (delivery_address != null && delivery_address !== url) {
    throw memberRefusal('body.delivery_address', 'must be the same as webhook_url');
  }
  return url;
};

const PUBLIC_ADDRESS = 'give an https address of a public host on port 443 or 8443';
const PRIVATE_ADDRESSES = 'the operator sets SVC_WEBHOOK_ALLOW_PRIVATE=true to allow http and private addresses';

const refuseForbidden = async (url: string, { transport, allowPrivate }: CreateParts): Promise<void> => {
  const isClean = url.length <= MAX_URL_LENGTH && !hasForbiddenCodePoint(url);
  const refusal = isClean
    ? await transport.refusal(url, { allowPrivate, ports: WEBHOOK_PORTS })
    : `an address has at most ${MAX_URL_LENGTH} characters`;
  if (refusal === undefined) return;
  throw memberRefusal('body.webhook_url', `cannot be called: ${refusal}`, WEBHOOK_URL_FORBIDDEN, {
    hint: allowPrivate ? PUBLIC_ADDRESS : `${PUBLIC_ADDRESS}; for development, ${PRIVATE_ADDRESSES}`,
  });
};

interface Wanted {
  readonly body: Body;
  readonly target: Target;
  readonly url: string;
  readonly tokenId: string;
  readonly secret: string;
  readonly digest: string;
}

const recordOf = (wanted: Wanted, caller: Principal, { clock, random, seals }: CreateParts): Subscription => {
  const { body, target, url, tokenId, secret, digest } = wanted;
  const id = random.uuid();
  return {
    id,
    tenantId: caller.tenantId,
    ownerUri: caller.entityUri,
    keyId: caller.keyId,
    tokenId,
    target: target.name,
    targetType: target.type,
    targetKey: target.key,
    eventTypes: body.event_types == null ? null : EVENT_TYPES.filter((type) => body.event_types?.includes(type)),
    address: seals.sealAddress(url, id),
    host: hostOf(url),
    idempotencyKey: body.idempotency_key ?? null,
    contentDigest: digest,
    secret: seals.sealSecret(secret, id),
    status: 'active',
    cancelledReason: null,
    createdMs: clock.nowMs(),
    lastDeliveredMs: null,
    failures: 0,
    probeMs: null,
  };
};
