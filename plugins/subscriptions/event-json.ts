import { VALUE_TYPES, valueText } from '../../kernel/internal-api.ts';
import {
  COUNT_JSON,
  component,
  FACT,
  type FactJson,
  type FactView,
  formatInstant,
  INSTANT_JSON,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import { DELIVERY_STATUSES } from './event-row.ts';
import { EVENT_TYPES, REVOKED_EVENT } from './subscription-record.ts';
import type { SubscriptionEvent } from './subscriptions-api.ts';

/** The JSON schema of a fact that contains its value in a second form. */
const EVENT_FACT_JSON = {
  allOf: [component(FACT), objectOf({ value_type: { type: 'string', enum: [...VALUE_TYPES] }, value_v: STRING_JSON })],
};

export const EVENT_JSON = objectOf({
  id: STRING_JSON,
  event_id: STRING_JSON,
  subscription_id: STRING_JSON,
  event_type: { type: 'string', enum: [...EVENT_TYPES, REVOKED_EVENT] },
  entity_uri: orNull(STRING_JSON),
  fact_id: orNull(STRING_JSON),
  hlc: orNull(STRING_JSON),
  payload: orNull(EVENT_FACT_JSON),
  created_at: INSTANT_JSON,
  delivered_at: orNull(INSTANT_JSON),
  delivery_status: { type: 'string', enum: [...DELIVERY_STATUSES] },
  delivery_attempts: COUNT_JSON,
});

/** Builds the body for webhooks and streams. Must run only after the rights were checked. */
export const deliveryJson = (
  event: SubscriptionEvent,
  view: FactView,
  factJson: FactJson,
): Record<string, unknown> => ({
  event_id: event.id,
  idempotency_key: event.id,
  subscription_id: event.subscriptionId,
  event_type: event.type,
  fact_id: event.factId,
  hlc: event.hlc,
  entity: view.fact.entity,
  scope: view.fact.scope,
  fact: eventFactJson(view, factJson),
});

/** Returns the JSON of a fact that repeats its value as type and text, because existing receivers read that form. */
const eventFactJson = (view: FactView, factJson: FactJson): Record<string, unknown> => ({
  ...factJson(view),
  value_type: view.fact.value.type,
  value_v: valueText(view.fact.value),
});

/** The JSON of an event in a replay. `view` is null only for the terminal event, which has no content. */
export const replayJson = (
  event: SubscriptionEvent,
  view: FactView | null,
  factJson: FactJson,
): Record<string, unknown> => ({
  id: event.id,
  event_id: event.id,
  subscription_id: event.subscriptionId,
  event_type: event.type,
  entity_uri: view?.fact.entity ?? null,
  fact_id: event.factId,
  hlc: event.hlc,
  payload: view === null ? null : eventFactJson(view, factJson),
  created_at: formatInstant(event.createdMs),
  delivered_at: event.deliveredMs === null ? null : formatInstant(event.deliveredMs),
  delivery_status: event.status,
  delivery_attempts: event.attempts,
});
