import {
  bindCursor,
  type Clock,
  type CursorCodec,
  type Route,
  readInstantParameter,
  schema,
} from '../../kernel/plugin-api.ts';
import type { BillingEvent, BillingFilter, BillingLedger } from './billing-api.ts';
import { billingEventJson, EVENT_TYPES, LEDGER_JSON } from './billing-event-json.ts';
import { DEFAULT_EVENTS, MAX_EVENTS } from './create-ledger.ts';

interface Query {
  readonly event_type?: BillingEvent['eventType'];
  readonly entity_uri?: string;
  readonly since?: string;
  readonly until?: string;
  readonly cursor?: string;
  readonly limit: number;
}

export interface BillingRouteParts {
  readonly ledger: BillingLedger;
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
      event_type: { type: 'string', enum: EVENT_TYPES },
      entity_uri: { type: 'string', minLength: 1, maxLength: 2048 },
      since: { type: 'string' },
      until: { type: 'string' },
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: MAX_EVENTS, default: DEFAULT_EVENTS },
    },
  }),
  answers: { 200: { json: LEDGER_JSON } },
  async handle(request) {
    const { caller, query } = request;
    const filter = filterOf(query);
    const bound = bindCursor(request, query.cursor, filter, parts);
    const beforeSeq = bound.position && Number(bound.position[0]);
    const { events, total, more } = await parts.ledger.events(caller, filter, { beforeSeq, limit: query.limit });
    const { list, cursor } = bound.page(events, query.limit, {
      positionOf: ({ seq }) => [seq],
      toJson: ({ event }) => billingEventJson(event),
      more,
    });
    return { status: 200, body: { events: list, total, cursor } };
  },
});

const filterOf = (query: Query): BillingFilter => ({
  eventType: query.event_type,
  entityUri: query.entity_uri,
  sinceMs: readInstantParameter(query.since, 'since'),
  untilMs: readInstantParameter(query.until, 'until'),
});
