import {
  type CursorParts,
  objectSchema,
  type PageQuery,
  pageMembers,
  readInstantParameter,
} from '../../kernel/internal-api.ts';
import {
  bindCursor,
  COUNT_JSON,
  CURSOR_JSON,
  type FactJson,
  listOf,
  objectOf,
  type Route,
} from '../../kernel/plugin-api.ts';
import { EVENT_JSON, replayJson } from './event-json.ts';
import { type IdParams, idParams } from './subscription-routes.ts';
import { MAX_EVENTS } from './subscription-service.ts';
import type { Subscriptions } from './subscriptions-api.ts';

export interface ReplayParts extends CursorParts {
  readonly subscriptions: Subscriptions;
  readonly factJson: FactJson;
}

interface Query extends PageQuery {
  readonly after?: string;
  readonly since?: string;
}

/** `GET /v1/subscriptions/{id}/events` returns all stored events, oldest first, delivered or not. */
export const replayRoute = (parts: ReplayParts): Route<IdParams, Query> => ({
  method: 'GET',
  path: '/v1/subscriptions/:id/events',
  summary: 'Events of a subscription inside the replay window, oldest first',
  access: { permission: 'read' },
  // `total` counts all stored events of the subscription.
  cost: ({ query }) => Math.max(250, query.limit),
  params: idParams,
  query: objectSchema<Query>({
    after: { type: 'string' },
    since: { type: 'string' },
    ...pageMembers(50, MAX_EVENTS),
  }),
  answers: { 200: { json: objectOf({ events: listOf(EVENT_JSON), total: COUNT_JSON, cursor: CURSOR_JSON }) } },
  example: {
    params: { id: '8d3c6a50-91be-4f07-a2d4-5e6b7c8f9012' },
    query: { since: '2026-05-04T00:00:00Z', limit: 20 },
  },
  async handle(request) {
    const { caller, params, query } = request;
    const range = { afterId: query.after, sinceMs: readInstantParameter(query.since, 'since') };
    const bound = bindCursor(request, query.cursor, range, parts);
    const position = bound.position === undefined ? undefined : Number(bound.position[0]);
    const { limit } = query;
    const { shown, total, more } = await parts.subscriptions.events(caller, params.id, { ...range, position, limit });
    const { list, cursor } = await bound.page(shown, limit, {
      positionOf: ({ event }) => [event.seq],
      toJson: ({ event, view }) => replayJson(event, view, parts.factJson),
      more,
    });
    return { status: 200, body: { events: list, total, cursor } };
  },
});
