import {
  type PluginSnapshot,
  type PluginTables,
  type Principal,
  type Route,
  ServiceError,
  schema,
  spellList,
} from '../../kernel/plugin-api.ts';
import type { SubscriptionJson } from './subscription-json.ts';
import { isOwner, type Subscription } from './subscription-record.ts';
import type { SubscriptionStore } from './subscription-store.ts';

export interface SubscriptionRouteParts {
  readonly store: SubscriptionStore;
  readonly tables: PluginTables;
  readonly json: SubscriptionJson;
}

export interface IdParams {
  readonly id: string;
}

export const idParams = schema<IdParams>({
  type: 'object',
  properties: { id: { type: 'string' } },
  required: ['id'],
});

/** The caller's own subscription; an unknown one and somebody else's are the same. */
export const ownSubscription = async (
  store: SubscriptionStore,
  id: string,
  caller: Principal,
  snapshot: PluginSnapshot,
): Promise<Subscription> => {
  const record = await store.get(id, snapshot);
  if (record === undefined || !isOwner(record, caller)) throw new ServiceError('lookup', 'no such subscription');
  return record;
};

export const listSubscriptionsRoute = ({ store, tables, json }: SubscriptionRouteParts): Route => ({
  method: 'GET',
  path: '/v1/subscriptions',
  summary: "The caller's subscriptions, oldest first",
  access: { permission: 'read' },
  async handle({ caller }) {
    const records = await tables.read((_, snapshot) => store.ownedBy(caller.tenantId, caller.entityUri, snapshot));
    const subscriptions = spellList(records, json);
    const cut = subscriptions.isCut && { truncated: true };
    return { status: 200, body: { subscriptions, total: records.length, ...cut } };
  },
});

export const getSubscriptionRoute = ({ store, tables, json }: SubscriptionRouteParts): Route<IdParams> => ({
  method: 'GET',
  path: '/v1/subscriptions/:id',
  summary: 'One subscription of the caller',
  access: { permission: 'read' },
  params: idParams,
  async handle({ caller, params }) {
    const record = await tables.read((_, snapshot) => ownSubscription(store, params.id, caller, snapshot));
    return { status: 200, body: json(record) };
  },
});

export const deleteSubscriptionRoute = ({ store, tables }: SubscriptionRouteParts): Route<IdParams> => ({
  method: 'DELETE',
  path: '/v1/subscriptions/:id',
  summary: 'End a subscription and forget its events',
  access: { permission: 'read' },
  params: idParams,
  async handle({ caller, params }) {
    await store.remove(await tables.read((_, snapshot) => ownSubscription(store, params.id, caller, snapshot)));
    return { status: 204 };
  },
});
