import { type PluginSnapshot, type Principal, ServiceError } from '../../kernel/plugin-api.ts';
import { isOwner, type Subscription } from './subscription-record.ts';
import type { SubscriptionStore } from './subscription-store.ts';

/** Returns the caller's own subscription. An unknown one and one of another caller cause the same error. */
export const ownSubscription = async (
  store: SubscriptionStore,
  id: string,
  caller: Principal,
  snapshot: PluginSnapshot,
): Promise<Subscription> => {
  const record = await store.get({ tenantId: caller.tenantId, id }, snapshot);
  if (record === undefined || !isOwner(record, caller)) throw noSuchSubscription();
  return record;
};

export const noSuchSubscription = (): ServiceError => new ServiceError('lookup', 'no such subscription');
