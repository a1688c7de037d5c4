import { ServiceError } from '../../kernel/plugin-api.ts';
import type { Subscription } from './subscription-record.ts';

/** The maximum number of active subscriptions of an entity, with those of its programs. */
export const MAX_ACTIVE = 1_000;
/**
 * The maximum number of these subscriptions with the same target. An assertion writes one event per matching
 * subscription, which delays all assertions of the tenant, so one entity may add only a few.
 */
export const MAX_ACTIVE_PER_TARGET = 16;

/** Counts the records whose columns have these values. */
export type CountRecords = (where: Readonly<Record<string, string>>) => Promise<number>;

/** Throws `limit_reached` if the record would exceed a limit. */
export const refuseBeyondLimits = async (record: Subscription, count: CountRecords): Promise<void> => {
  const mine = { tenant_id: record.tenantId, holder_uri: record.holderUri };
  if ((await count({ ...mine, match_key: record.targetKey })) >= MAX_ACTIVE_PER_TARGET) {
    throw limitReached(`${MAX_ACTIVE_PER_TARGET} active subscriptions to the target`);
  }
  if ((await count({ ...mine, status: 'active' })) >= MAX_ACTIVE) {
    throw limitReached(`${MAX_ACTIVE} active subscriptions`);
  }
};

const limitReached = (what: string): ServiceError =>
  new ServiceError('limit_reached', `the entity has ${what}, which is as many as it may have`, {
    hint: 'delete one that is no longer needed; a deleted or cancelled subscription does not count',
  });
