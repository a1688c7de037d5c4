import {
  bindCursor,
  type Clock,
  type CursorCodec,
  type Facts,
  type Route,
  readInstantParameter,
  schema,
} from '../../kernel/plugin-api.ts';
import { billingEventJson } from './billing-event-json.ts';
import type { BillingFilter, BillingStore } from './billing-store.ts';

interface Query {
  readonly event_type?: string;
  readonly entity_uri?: string;
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface BillingRouteParts {
  readonly store: BillingStore;
  readonly facts: Facts;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
}

/** `GET /v1/admin/billing/events`: the ledger of the caller's tenant, newest first. */
export const billingEventsRoute = (parts: BillingRouteParts): Route<undefined, Query> => ({
  method: 'GET',
  path: '/v1/admin/billing/events',
  summary: 'Billing ledger of the tenant, newest first',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  query: schema<Query>({
    type: 'object',
    properties: {
      event_type: { type: 'string', enum: ['fact_written', 'garden_created'] },
      entity_uri: { type: 'string', minLength: 1, maxLength: 2048 },
      since: { type: 'string' },
      until: { type: 'string' },
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 1000, default: 200 },
    },
  }),
  handle(request) {
    const { store, facts } = parts;
    const { caller, query } = request;
    const filter = filterOf(query, caller.tenantId);
    const bound = bindCursor(request, query.cursor, filter, parts);
    const after = bound.position && Number(bound.position[0]);
    return facts.read(caller, 'query', async ({ snapshot }) => {
      const found = await store.newestFirst(filter, after, query.limit + 1, snapshot);
      const { list, cursor } = bound.page(found, query.limit, {
        positionOf: ({ seq }) => [seq],
        toJson: ({ event }) => billingEventJson(event),
      });
      const total = await store.count(filter, snapshot);
      return { status: 200, body: { events: list, total, cursor } };
    });
  },
});

const filterOf = (query: Query, tenantId: string): BillingFilter => ({
  tenantId,
  eventType: query.event_type,
  entityUri: query.entity_uri,
  sinceMs: readInstantParameter(query.since, 'since'),
  untilMs: readInstantParameter(query.until, 'until'),
});
