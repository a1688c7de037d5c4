import { hasForbiddenCodePoint, refusedCredential } from '../../kernel/internal-api.ts';
import { memberRefusal, type Principal, requirePermission } from '../../kernel/plugin-api.ts';
import { type CreateParts, createSubscription } from './create-subscription.ts';
import { type FollowParts, followEvents } from './follow-events.ts';
import { noSuchSubscription, ownSubscription } from './own-subscription.ts';
import { readEvents } from './read-events.ts';
import { type RotateParts, rotateSecret } from './rotate-secret.ts';
import { StreamSlots } from './stream-slots.ts';
import { type FormerSecret, formerSecretsAt, type Subscription } from './subscription-record.ts';
import type { Subscriptions, SubscriptionView } from './subscriptions-api.ts';

export type SubscriptionParts = CreateParts &
  RotateParts &
  Omit<FollowParts, 'slots'> & { /** How long a former secret signs. */ readonly overlapSeconds: number };

export const MAX_EVENTS = 500;

export const createSubscriptionService = (given: SubscriptionParts): Subscriptions => {
  const parts = { ...given, slots: new StreamSlots() };
  const { tables, store, seals } = parts;
  const viewOf = (record: Subscription): SubscriptionView => ({
    id: record.id,
    ownerUri: record.ownerUri,
    target: record.target,
    targetType: record.targetType,
    eventTypes: record.eventTypes,
    idempotencyKey: record.idempotencyKey,
    status: record.status,
    cancelledReason: record.cancelledReason,
    createdMs: record.createdMs,
    lastDeliveredMs: record.lastDeliveredMs,
    failures: record.failures,
    webhookUrl: urlOf(record, seals),
    circuitOpen: record.probeMs !== null,
    formerSecretsEndMs: endOf(formerSecretsAt(record, parts.nowMs())),
  });
  const own = (caller: Principal, id: string): Promise<Subscription> => {
    requirePermission(caller, 'read');
    checkId(id);
    return tables.read((_, snapshot) => ownSubscription(store, id, caller, snapshot));
  };
  return {
    async create(caller, request) {
      requirePermission(caller, 'read');
      const { record, secret } = await createSubscription(caller, request, parts);
      return { subscription: viewOf(record), secret };
    },
    async list(caller) {
      requirePermission(caller, 'read');
      const { tenantId, entityUri } = caller;
      return (await tables.read((_, snapshot) => store.ownedBy(tenantId, entityUri, snapshot))).map(viewOf);
    },
    get: async (caller, id) => viewOf(await own(caller, id)),
    async rotateSecret(caller, id, { overlapSeconds = given.overlapSeconds } = {}) {
      requirePermission(caller, 'read');
      checkId(id);
      const { record, secret } = await rotateSecret(parts, caller, id, overlapSeconds);
      return { subscription: viewOf(record), secret };
    },
    delete: async (caller, id) => store.remove(await own(caller, id)),
    async events(caller, id, { limit, ...range }) {
      requirePermission(caller, 'read');
      checkId(id);
      if (!(Number.isInteger(limit) && limit >= 1 && limit <= MAX_EVENTS)) {
        throw memberRefusal('query.limit', `must be a whole number from 1 to ${MAX_EVENTS}`, 'bad_parameter');
      }
      const page = await readEvents(id, caller, range, limit, parts);
      if (page === undefined) throw refusedCredential();
      const { shown, more, total } = page;
      return { shown: shown.slice(0, limit), more: more || shown.length > limit, total };
    },
    async follow(caller, id, from) {
      requirePermission(caller, 'read');
      checkId(id);
      return followEvents(caller, id, from, parts);
    },
  };
};

/** Returns the latest end of the former secrets' overlap. */
const endOf = (former: readonly FormerSecret[]): number | null =>
  former.length === 0 ? null : Math.max(...former.map(({ untilMs }) => untilMs));

/** Throws for an id that a store cannot hold. */
const checkId = (id: string): void => {
  if (hasForbiddenCodePoint(id)) throw noSuchSubscription();
};

const urlOf = (record: Subscription, seals: CreateParts['seals']): string | null => {
  try {
    return seals.open(record).url;
  } catch {
    return null;
  }
};
