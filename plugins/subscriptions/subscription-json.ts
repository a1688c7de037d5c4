import { formatInstant } from '../../kernel/plugin-api.ts';
import type { Subscription } from './subscription-record.ts';
import type { WebhookSeals } from './webhook-seals.ts';

export interface SubscriptionJsonParts {
  readonly seals: Pick<WebhookSeals, 'open'>;
  readonly replaySeconds: number;
}

export type SubscriptionJson = (record: Subscription) => Record<string, unknown>;

/**
 * A subscription without its secret, which only the answer to the creation holds. Where the node cannot open the secret
 * and the address, because they were closed under a key that it has no longer, the address is null and
 * `delivery_problem` says why nothing is sent.
 */
export const createSubscriptionJson =
  ({ seals, replaySeconds }: SubscriptionJsonParts): SubscriptionJson =>
  (record) => {
    const url = urlOf(record, seals);
    return {
      id: record.id,
      subscriber_identity: record.ownerUri,
      target: record.target,
      target_type: record.targetType,
      target_kind: record.targetType,
      on_change: 'webhook',
      webhook_url: url,
      delivery_address: url,
      idempotency_key: record.idempotencyKey,
      event_types: record.eventTypes,
      status: record.status,
      ...(record.cancelledReason === null ? {} : { cancelled_reason: record.cancelledReason }),
      ...(url === null && record.status === 'active' ? { delivery_problem: 'secret_unreadable' } : {}),
      created_at: formatInstant(record.createdMs),
      last_delivered_at: record.lastDeliveredMs === null ? null : formatInstant(record.lastDeliveredMs),
      circuit_open: record.probeMs !== null,
      consecutive_failures: record.failures,
      replay_window_s: replaySeconds,
    };
  };

const urlOf = (record: Subscription, seals: Pick<WebhookSeals, 'open'>): string | null => {
  try {
    return seals.open(record).url;
  } catch {
    return null;
  }
};
