import { hasForbiddenCodePoint, isWithinCharacters, limitedEntity } from '../../kernel/internal-api.ts';
import {
  type Clock,
  memberRefusal,
  type NodeSelf,
  type PluginTables,
  type PluginTransaction,
  type Principal,
  type Random,
  ServiceError,
  type Transport,
} from '../../kernel/plugin-api.ts';
import type { CapabilityTokens } from '../capability-tokens/capability-tokens-api.ts';
import { CAPABILITY_INVALID } from '../capability-tokens/capability-tokens-api.ts';
import type { AccessCheck } from './access-check.ts';
import { WEBHOOK_PORTS } from './deliver-event.ts';
import { readTarget, type TargetParts } from './read-target.ts';
import { EVENT_TYPES, hostOf, type Subscription, TARGET_TYPES, type Target } from './subscription-record.ts';
import type { SubscriptionStore } from './subscription-store.ts';
import type { SubscriptionRequest } from './subscriptions-api.ts';
import { WEBHOOK_URL_FORBIDDEN } from './subscriptions-words.ts';
import type { WebhookSeals } from './webhook-seals.ts';

export interface CreateParts extends TargetParts {
  readonly self: NodeSelf;
  readonly tables: PluginTables;
  readonly store: SubscriptionStore;
  readonly access: AccessCheck;
  readonly tokens: CapabilityTokens;
  readonly seals: WebhookSeals;
  readonly transport: Pick<Transport, 'refusal'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly allowPrivate: boolean;
}

/** Implements `Subscriptions.create`. `secret` is null for an existing subscription. */
export const createSubscription = async (
  caller: Principal,
  request: SubscriptionRequest,
  parts: CreateParts,
): Promise<{ readonly record: Subscription; readonly secret: string | null }> => {
  const { access, seals, store, tokens } = parts;
  const { webhookUrl: url } = request;
  checkRequest(request);
  const target = await readTarget(request.target, request.targetType ?? undefined, caller, parts);
  const { tokenId } = await tokens.verify(request.capabilityToken, target.need, caller);
  await refuseForbidden(url, parts);
  const secret = seals.drawSecret();
  const digests = seals.digests(target, url);
  const wanted = recordOf({ request, target, tokenId, secret, digest: digests[0] }, caller, parts);
  const { record, isNew } = await store.create(wanted, digests, {
    confirm: (transaction) => confirmRights(wanted, transaction, parts),
    keyFor: (known, transaction) => access.keyFor(known, caller, transaction),
  });
  return { record, secret: isNew ? secret : null };
};

const checkRequest = ({ targetType, idempotencyKey, eventTypes }: SubscriptionRequest): void => {
  if (targetType != null && !TARGET_TYPES.includes(targetType)) {
    throw memberRefusal('body.target_type', `must be one of ${TARGET_TYPES.join(', ')}`);
  }
  if (idempotencyKey != null) {
    if (idempotencyKey === '' || !isWithinCharacters(idempotencyKey, MAX_KEY_LENGTH)) {
      throw memberRefusal('body.idempotency_key', `must have 1 to ${MAX_KEY_LENGTH} characters`);
    }
    if (hasForbiddenCodePoint(idempotencyKey)) {
      throw memberRefusal('body.idempotency_key', 'has a character that cannot be stored');
    }
  }
  if (eventTypes != null && (eventTypes.length === 0 || !eventTypes.every((type) => EVENT_TYPES.includes(type)))) {
    throw memberRefusal('body.event_types', `must name at least one of ${EVENT_TYPES.join(', ')}`);
  }
};

export const MAX_KEY_LENGTH = 255;
const MAX_URL_LENGTH = 2048;

const confirmRights = async (
  wanted: Subscription,
  transaction: PluginTransaction,
  { access }: CreateParts,
): Promise<void> => {
  const standing = await access.asOwner(wanted, transaction, async () => ({ revoked: false, result: true }));
  if (standing.revoked) throw new ServiceError(CAPABILITY_INVALID, 'token_revoked: the rights have just ended');
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

interface ResolvedRequest {
  readonly request: SubscriptionRequest;
  readonly target: Target;
  readonly tokenId: string;
  readonly secret: string;
  readonly digest: string;
}

const recordOf = (wanted: ResolvedRequest, caller: Principal, { clock, random, seals }: CreateParts): Subscription => {
  const { request, target, tokenId, secret, digest } = wanted;
  const { webhookUrl: url, eventTypes } = request;
  const id = random.uuid();
  return {
    id,
    tenantId: caller.tenantId,
    ownerUri: caller.entityUri,
    holderUri: limitedEntity(caller),
    keyId: caller.keyId,
    tokenId,
    target: target.name,
    targetType: target.type,
    targetKey: target.key,
    eventTypes: eventTypes == null ? null : EVENT_TYPES.filter((type) => eventTypes.includes(type)),
    address: seals.sealAddress(url, id),
    host: hostOf(url),
    idempotencyKey: request.idempotencyKey ?? null,
    contentDigest: digest,
    secret: seals.sealSecret(secret, id),
    formerSecrets: [],
    status: 'active',
    cancelledReason: null,
    createdMs: clock.nowMs(),
    lastDeliveredMs: null,
    failures: 0,
    probeMs: null,
  };
};
