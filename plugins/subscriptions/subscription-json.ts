import { formatInstant } from '../../kernel/plugin-api.ts';
import type { Subscription } from './subscription-record.ts';

/** Wire contract 9.1, without the secret, which only the answer to the creation holds. */
export const subscriptionJson = (record: Subscription, replaySeconds: number): Record<string, unknown> => ({
  id: record.id,
  subscriber_identity: record.ownerUri,
  target: record.target,
  target_type: record.targetType,
  target_kind: record.targetType,
  on_change: 'webhook',
  webhook_url: record.webhookUrl,
  delivery_address: record.webhookUrl,
  idempotency_key: record.idempotencyKey,
  event_types: record.eventTypes,
  status: record.status,
  ...(record.cancelledReason === null ? {} : { cancelled_reason: record.cancelledReason }),
  created_at: formatInstant(record.createdMs),
  last_delivered_at: record.lastDeliveredMs === null ? null : formatInstant(record.lastDeliveredMs),
  circuit_open: record.probeMs !== null,
  consecutive_failures: record.failures,
  replay_window_s: replaySeconds,
});
