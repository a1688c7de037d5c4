import { type CursorParts, objectSchema, type PageQuery } from '../../../kernel/internal-api.ts';
import {
  bindCursor,
  COUNT_JSON,
  CURSOR_JSON,
  type CursorPosition,
  type Facts,
  listOf,
  objectOf,
  type Route,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import { type FactPosition, tallyDays } from './tally-days.ts';

/** The most facts that one request counts: some tens of milliseconds of work. */
const MAX_COUNTED = 1_000;
/** The cost of a part of the timeline, like that of a query for facts of many entities. */
const COST = 250;

export interface TimelineParts extends CursorParts {
  readonly facts: Facts;
}

const TIMELINE_JSON = objectOf({
  days: listOf(
    objectOf({
      day: { type: 'string', pattern: '^[+-]?[0-9]{4,6}-[0-9]{2}-[0-9]{2}$' },
      source: STRING_JSON,
      facts: COUNT_JSON,
    }),
  ),
  counted: COUNT_JSON,
  cursor: CURSOR_JSON,
});

/** `GET /v1/timeline`: the number of facts by day and source, newest day first, a bounded part of the facts at once. */
export const timelineRoute = ({ facts, clock, cursors }: TimelineParts): Route<undefined, PageQuery> => ({
  method: 'GET',
  path: '/v1/timeline',
  summary: 'How many facts each source said on each day (UTC), of the facts that the caller may see',
  access: { permission: 'read' },
  dimension: 'fact_read',
  cost: () => COST,
  query: objectSchema<PageQuery>({
    cursor: { type: 'string' },
    limit: {
      type: 'integer',
      minimum: 1,
      maximum: MAX_COUNTED,
      default: MAX_COUNTED,
      description: 'Facts to count; the next request goes on behind them.',
    },
  }),
  answers: { 200: { json: TIMELINE_JSON } },
  example: { query: { limit: 500 } },
  async handle(request) {
    const { caller, query } = request;
    const bound = bindCursor(request, query.cursor, {}, { clock, cursors });
    const after = bound.position && positionOf(bound.position);
    const page = await facts.read(caller, 'query', (reader) => tallyDays(reader, { after, limit: query.limit }));
    const cursor = page.next === null ? null : bound.after([page.next.timestampMs, page.next.id]);
    return { status: 200, body: { days: page.tallies, counted: page.counted, cursor } };
  },
});

const positionOf = ([timestampMs, id]: CursorPosition): FactPosition => ({
  timestampMs: Number(timestampMs),
  id: String(id),
});
