import { type FactJson, type FactView, formatInstant, valueText } from '../../kernel/plugin-api.ts';
import type { OutboxEvent } from './event-row.ts';

/** What a webhook and a stream get. Made only after the rights were checked. */
export const deliveryJson = (event: OutboxEvent, view: FactView, factJson: FactJson): Record<string, unknown> => ({
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

/** A fact with its value a second time, as type and text, which existing receivers read. */
const eventFactJson = (view: FactView, factJson: FactJson): Record<string, unknown> => ({
  ...factJson(view),
  value_type: view.fact.value.type,
  value_v: valueText(view.fact.value),
});

/** An event in a replay. `view` is null for the terminal event alone, which has no content. */
export const replayJson = (event: OutboxEvent, view: FactView | null, factJson: FactJson): Record<string, unknown> => ({
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
