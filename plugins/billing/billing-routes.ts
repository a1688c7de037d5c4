import {
  type CursorParts,
  objectSchema,
  type PageQuery,
  pageMembers,
  readInstantParameter,
} from '../../kernel/internal-api.ts';
import { bindCursor, type Principal, type Route, ServiceError } from '../../kernel/plugin-api.ts';
import type { Tenancy } from '../multi-tenant/multi-tenant-api.ts';
import type { BillingEvent, BillingFilter, BillingLedger } from './billing-api.ts';
import { billingEventJson, EVENT_TYPES, LEDGER_JSON } from './billing-event-json.ts';
import { DEFAULT_EVENTS, MAX_EVENTS } from './create-ledger.ts';

interface Query extends PageQuery {
  readonly tenant_id?: string;
  readonly event_type?: BillingEvent['eventType'];
  readonly entity_uri?: string;
  readonly since?: string;
  readonly until?: string;
}

export interface BillingRouteParts extends CursorParts {
  readonly ledger: BillingLedger;
  /** Undefined on a node without the plugin `multi-tenant`. */
  readonly tenancy: Pick<Tenancy, 'administer'> | undefined;
}

/**
 * `GET /v1/admin/billing/events`: the ledger of the caller's tenant, newest first. `tenant_id` selects another tenant.
 */
export const billingEventsRoute = (parts: BillingRouteParts): Route<undefined, Query> => ({
  method: 'GET',
  path: '/v1/admin/billing/events',
  summary: 'Billing ledger of the tenant, newest first',
  access: { permission: 'admin' },
  dimension: 'admin_action',
  // `total` counts all events of the tenant.
  cost: ({ query }) => Math.max(250, query.limit),
  query: objectSchema<Query>({
    tenant_id: { type: 'string', minLength: 1, maxLength: 63 },
    event_type: { type: 'string', enum: EVENT_TYPES },
    entity_uri: { type: 'string', minLength: 1, maxLength: 2048 },
    since: { type: 'string' },
    until: { type: 'string' },
    ...pageMembers(DEFAULT_EVENTS, MAX_EVENTS),
  }),
  answers: { 200: { json: LEDGER_JSON } },
  example: { query: { event_type: 'fact_written', entity_uri: 'agent:indexer', limit: 50 } },
  async handle(request) {
    const { query } = request;
    const filter = filterOf(query);
    const caller = await readerOf(request.caller, query.tenant_id, parts.tenancy);
    const bound = bindCursor({ ...request, caller }, query.cursor, filter, parts);
    const beforeSeq = bound.position && Number(bound.position[0]);
    const { events, total, more } = await parts.ledger.events(caller, filter, { beforeSeq, limit: query.limit });
    const { list, cursor } = await bound.page(events, query.limit, {
      positionOf: ({ seq }) => [seq],
      toJson: ({ event }) => billingEventJson(event),
      more,
    });
    return { status: 200, body: { events: list, total, cursor } };
  },
});

/** Administrators of the node may read the ledger of any tenant. Others may read only their own. */
const readerOf = async (
  caller: Principal,
  tenantId: string | undefined,
  tenancy: BillingRouteParts['tenancy'],
): Promise<Principal> => {
  if (tenantId === undefined || tenantId === caller.tenantId) return caller;
  if (tenancy === undefined) throw new ServiceError('authorization', 'the ledgers of other tenants are not yours');
  return tenancy.administer(caller, tenantId);
};

const filterOf = (query: Query): BillingFilter => ({
  eventType: query.event_type,
  entityUri: query.entity_uri,
  sinceMs: readInstantParameter(query.since, 'since'),
  untilMs: readInstantParameter(query.until, 'until'),
});
