import {
  bindCursor,
  type Clock,
  type CursorCodec,
  type FactJson,
  type Route,
  readInstantParameter,
  refusedCredential,
  schema,
} from '../../kernel/plugin-api.ts';
import { replayJson } from './event-json.ts';
import { type ReadEventsParts, readEvents } from './read-events.ts';
import { type IdParams, idParams } from './subscription-routes.ts';

export interface ReplayParts extends ReadEventsParts {
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly factJson: FactJson;
}

interface Query {
  readonly after?: string;
  readonly since?: string;
  readonly cursor?: string;
  readonly limit: number;
}

/** `GET /v1/subscriptions/{id}/events`: what is kept, oldest first, whatever became of its delivery. */
export const replayRoute = (parts: ReplayParts): Route<IdParams, Query> => ({
  method: 'GET',
  path: '/v1/subscriptions/:id/events',
  summary: 'Events of a subscription inside the replay window, oldest first',
  access: { permission: 'read' },
  params: idParams,
  query: schema<Query>({
    type: 'object',
    properties: {
      after: { type: 'string' },
      since: { type: 'string' },
      cursor: { type: 'string' },
      limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
    },
  }),
  async handle(request) {
    const { caller, params, query } = request;
    const range = { afterId: query.after, sinceMs: readInstantParameter(query.since, 'since') };
    const bound = bindCursor(request, query.cursor, range, parts);
    const position = bound.position === undefined ? undefined : Number(bound.position[0]);
    const page = await readEvents(params.id, caller, { ...range, position }, query.limit, parts);
    if (page === undefined) throw refusedCredential();
    const { shown, total, more } = page;
    const { list, cursor } = bound.page(shown, query.limit, {
      positionOf: ({ event }) => [event.seq],
      toJson: ({ event, view }) => replayJson(event, view, parts.factJson),
      more,
    });
    return { status: 200, body: { events: list, total, cursor } };
  },
});
