import type { BillingEvent } from './billing-api.ts';

/** An event as the route and the line on standard error show it (wire contract 14). */
export const billingEventJson = (event: BillingEvent): Record<string, unknown> => ({
  event_type: event.eventType,
  tenant_id: event.tenantId,
  entity_uri: event.entityUri,
  fact_id: event.factId,
  garden_id: event.gardenId,
  ts: event.ts,
});
