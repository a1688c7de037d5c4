import {
  COUNT_JSON,
  CURSOR_JSON,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { BillingEvent } from './billing-api.ts';

export const EVENT_TYPES: readonly BillingEvent['eventType'][] = ['fact_written', 'garden_created'];

/** A page of the ledger in an answer. */
export const LEDGER_JSON = objectOf({
  events: listOf(
    objectOf({
      event_type: { type: 'string', enum: EVENT_TYPES },
      tenant_id: STRING_JSON,
      entity_uri: STRING_JSON,
      fact_id: orNull(STRING_JSON),
      garden_id: orNull(STRING_JSON),
      ts: INSTANT_JSON,
    }),
  ),
  total: COUNT_JSON,
  cursor: CURSOR_JSON,
});

/** An event in the answer of the route and in a line on standard error. */
export const billingEventJson = (event: BillingEvent): Record<string, unknown> => ({
  event_type: event.eventType,
  tenant_id: event.tenantId,
  entity_uri: event.entityUri,
  fact_id: event.factId,
  garden_id: event.gardenId,
  ts: event.ts,
});
