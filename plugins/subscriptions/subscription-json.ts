import {
  BOOLEAN_JSON,
  COUNT_JSON,
  component,
  defineComponent,
  formatInstant,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { CANCEL_REASONS, EVENT_TYPES, TARGET_TYPES } from './subscription-record.ts';
import type { SubscriptionView } from './subscriptions-api.ts';

const TARGET_TYPE = { type: 'string', enum: [...TARGET_TYPES] };

export const SUBSCRIPTION = defineComponent('Subscription', {
  summary: 'what a caller is told of, and where',
  json: objectOf(
    {
      id: STRING_JSON,
      subscriber_identity: STRING_JSON,
      target: STRING_JSON,
      target_type: TARGET_TYPE,
      target_kind: TARGET_TYPE,
      on_change: { type: 'string', const: 'webhook' },
      webhook_url: orNull(STRING_JSON),
      delivery_address: orNull(STRING_JSON),
      idempotency_key: orNull(STRING_JSON),
      event_types: orNull(listOf({ type: 'string', enum: [...EVENT_TYPES] })),
      status: { type: 'string', enum: ['active', 'cancelled'] },
      cancelled_reason: { type: 'string', enum: [...CANCEL_REASONS] },
      delivery_problem: { type: 'string', const: 'secret_unreadable' },
      former_secret_ends_at: INSTANT_JSON,
      created_at: INSTANT_JSON,
      last_delivered_at: orNull(INSTANT_JSON),
      circuit_open: BOOLEAN_JSON,
      consecutive_failures: COUNT_JSON,
      replay_window_s: COUNT_JSON,
    },
    { optional: ['cancelled_reason', 'delivery_problem', 'former_secret_ends_at'] },
  ),
});

/** The JSON schema with the secret, which only the replies to creation and rotation contain. */
export const NEW_SUBSCRIPTION_JSON = { allOf: [component(SUBSCRIPTION), objectOf({ secret: STRING_JSON })] };

export type SubscriptionJson = (subscription: SubscriptionView) => Record<string, unknown>;

/**
 * Returns the JSON of a subscription. If the node has lost the key that encrypted the secret and the address, the
 * address is null and `delivery_problem` gives the reason.
 */
export const createSubscriptionJson =
  (replaySeconds: number): SubscriptionJson =>
  (subscription) => ({
    id: subscription.id,
    subscriber_identity: subscription.ownerUri,
    target: subscription.target,
    target_type: subscription.targetType,
    target_kind: subscription.targetType,
    on_change: 'webhook',
    webhook_url: subscription.webhookUrl,
    delivery_address: subscription.webhookUrl,
    idempotency_key: subscription.idempotencyKey,
    event_types: subscription.eventTypes,
    status: subscription.status,
    ...(subscription.cancelledReason === null ? {} : { cancelled_reason: subscription.cancelledReason }),
    ...(subscription.webhookUrl === null && subscription.status === 'active'
      ? { delivery_problem: 'secret_unreadable' }
      : {}),
    ...(subscription.formerSecretsEndMs === null
      ? {}
      : { former_secret_ends_at: formatInstant(subscription.formerSecretsEndMs) }),
    created_at: formatInstant(subscription.createdMs),
    last_delivered_at: subscription.lastDeliveredMs === null ? null : formatInstant(subscription.lastDeliveredMs),
    circuit_open: subscription.circuitOpen,
    consecutive_failures: subscription.failures,
    replay_window_s: replaySeconds,
  });
