import {
  type CursorParts,
  FIELDS_TEXT,
  objectSchema,
  type PageQuery,
  pageMembers,
  readRelation,
} from '../../../kernel/internal-api.ts';
import {
  all,
  bindCursor,
  component,
  equals,
  type FactFields,
  type FactJson,
  type FactReader,
  type Facts,
  type Filter,
  type Hlc,
  matchKey,
  type NodeSelf,
  type Route,
  type RouteRequest,
  readEntityUri,
  requireReadScope,
  SCOPES,
  type Scope,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import type { IntactFacts } from '../../facts/facts-api.ts';
import type { RelationRules } from '../../relations/relations-api.ts';
import { eventJson, HISTORY, HISTORY_PART_JSON, triplesJson } from './history-json.ts';
import { type HistoryPage, ofTriple, readHistory } from './read-history.ts';

const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
/** The least cost: that of a default page, because the store sorts all facts of the entity. */
const LEAST_COST = DEFAULT_PAGE;

export interface HistoryParts extends CursorParts {
  readonly facts: Facts;
  readonly factJson: FactJson;
  readonly fields: FactFields;
  readonly self: NodeSelf;
  readonly intact: IntactFacts | undefined;
  readonly rules: RelationRules | undefined;
}

interface HistoryQuery extends PageQuery {
  readonly fields?: string;
}

interface EntityQuery extends HistoryQuery {
  readonly scope?: Scope;
  readonly relation?: string;
}

const PAGE = {
  fields: FIELDS_TEXT,
  ...pageMembers(DEFAULT_PAGE, MAX_PAGE),
} as const;

const COMMON = {
  method: 'GET',
  cost: ({ query }: { readonly query: HistoryQuery }) => Math.max(LEAST_COST, query.limit),
  access: { permission: 'read' },
  dimension: 'fact_read',
  answers: { 200: { json: component(HISTORY), part: HISTORY_PART_JSON } },
} as const;

/** `GET /v1/history/{entity_uri}`: the recorded facts about an entity, oldest first. */
export const entityHistoryRoute = (parts: HistoryParts): Route<{ entity_uri: string }, EntityQuery> => ({
  ...COMMON,
  path: '/v1/history/*entity_uri',
  summary: 'How the facts about an entity came to be, and who won from when to when',
  params: objectSchema<{ entity_uri: string }>({ entity_uri: { type: 'string' } }),
  query: objectSchema<EntityQuery>({ scope: { type: 'string', enum: SCOPES }, relation: { type: 'string' }, ...PAGE }),
  example: {
    params: { entity_uri: 'project:atlas' },
    query: { scope: 'company', relation: 'memory:status', limit: 20 },
  },
  handle(request) {
    const { caller, params, query } = request;
    const { names } = parts.self;
    const { scope, relation } = query;
    if (scope !== undefined) requireReadScope(caller, scope);
    const filter = all(
      equals('entityKey', matchKey(readEntityUri(params.entity_uri, 'path.entity_uri'), names)),
      ...(scope === undefined ? [] : [equals('scope', scope)]),
      ...(relation === undefined
        ? []
        : [equals('relationKey', matchKey(readRelation(relation, 'query.relation'), names))]),
    );
    return reply(parts, request, { scope, relation }, async () => filter);
  },
});

/** `GET /v1/facts/{id}/history`: the recorded facts with the triple and place of a fact. */
export const factHistoryRoute = (parts: HistoryParts): Route<{ id: string }, HistoryQuery> => ({
  ...COMMON,
  path: '/v1/facts/:id/history',
  summary: 'How the triple of a fact came to be, and who won from when to when',
  params: objectSchema<{ id: string }>({ id: { type: 'string' } }),
  query: objectSchema<HistoryQuery>(PAGE),
  example: { params: { id: '5f0c2b1e-7a64-4a0e-9a0b-0d5a3f2f9c11' }, query: { limit: 20 } },
  handle: (request) =>
    reply(parts, request, {}, async (reader) => {
      const { id } = request.params;
      const fact = (await reader.byGivenIds([id])).get(id);
      // System facts have no history of their own.
      if (fact === undefined || fact.system) throw new ServiceError('lookup', 'there is no such fact');
      return all(...ofTriple(fact));
    }),
});

const reply = async (
  { facts, factJson, fields, clock, cursors, intact, rules }: HistoryParts,
  request: Pick<RouteRequest<unknown, HistoryQuery, undefined>, 'caller' | 'path' | 'query'>,
  filters: object,
  filterFor: (reader: FactReader) => Promise<Filter>,
) => {
  const { caller, query } = request;
  const shown = fields.read(query.fields, 'query') ?? factJson;
  const bound = bindCursor(request, query.cursor, filters, { cursors, clock });
  const after: Hlc | undefined = bound.position && {
    wallMs: Number(bound.position[0]),
    counter: Number(bound.position[1]),
  };
  const { page, nowMs } = await facts.read(caller, 'query', async (reader) => ({
    page: await readHistory(reader, { filter: await filterFor(reader), after, limit: query.limit }, { intact, rules }),
    nowMs: reader.nowMs,
  }));
  const toJson = (event: HistoryPage['events'][number]) => eventJson(event, { factJson: shown, nowMs });
  const { list, cursor } = await bound.page(page.events, query.limit, { positionOf, toJson, more: page.next !== null });
  return { status: 200, body: { events: list, winners: triplesJson(page.triples), cursor } };
};

const positionOf = ({ view: { fact } }: HistoryPage['events'][number]) => [fact.feed.wallMs, fact.feed.counter];
