import { type CursorParts, objectRequiring } from '../../kernel/internal-api.ts';
import {
  bindCursor,
  type CursorPosition,
  memberRefusal,
  type Route,
  SCOPES,
  type Scope,
  type ServiceNames,
  spellList,
} from '../../kernel/plugin-api.ts';
import { type FactNarrowing, NARROWING_QUERY, narrowingOf, readNarrowing } from '../facts/facts-api.ts';
import { MAX_SEEDS } from './check-walk.ts';
import type { EntityGraph, GraphWalk, NeighborPosition } from './graph-api.ts';
import { NEIGHBORS_JSON, neighborJson } from './neighbor-json.ts';

export const MAX_NEIGHBORS = 200;
export const DEFAULT_NEIGHBORS = 50;
/** The cost of a page at depth 1, which reads some thousand edges, like that of a recall. */
const COST_OF_EDGES = 250;
/** The cost of a page at depth 2, which may walk all edges of the seeds anew. */
const COST_OF_WALK = 1_000;

interface Query extends FactNarrowing {
  readonly entity: readonly string[];
  readonly depth: number;
  readonly scope?: Scope;
  readonly relation?: string;
  readonly relation_filter?: string;
  readonly min_confidence: number;
  readonly limit?: number;
  readonly page_size?: number;
  readonly cursor?: string;
  readonly as_of?: string;
}

const PAGE_SIZE = { type: 'integer', minimum: 1, maximum: MAX_NEIGHBORS } as const;

const neighborsQuery = (knowsPast: boolean) =>
  objectRequiring<Query>(['entity'], {
    entity: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_SEEDS },
    depth: { type: 'integer', default: 1 },
    scope: { type: 'string', enum: SCOPES },
    relation: { type: 'string' },
    relation_filter: { type: 'string' },
    min_confidence: { type: 'number', minimum: 0, maximum: 1, default: 0.1 },
    ...NARROWING_QUERY,
    limit: PAGE_SIZE,
    page_size: PAGE_SIZE,
    cursor: { type: 'string' },
    ...(knowsPast && { as_of: { type: 'string' } }),
  });

export interface NeighborsParts extends CursorParts {
  readonly graph: EntityGraph;
  readonly cursorLifetimeMs: number;
  /** True if a plugin answers requests about the past. */
  readonly knowsPast: boolean;
  readonly names: ServiceNames;
}

/** `GET /v1/graph/neighbors`: entities within one or two edges of the seeds, nearest first. */
export const neighborsRoute = (parts: NeighborsParts): Route<undefined, Query> => ({
  method: 'GET',
  path: '/v1/graph/neighbors',
  summary: 'Entities that ref facts connect with the given ones',
  access: { permission: 'read' },
  dimension: 'graph_query',
  cost: ({ query }) => (query.depth === 1 ? COST_OF_EDGES : COST_OF_WALK),
  query: neighborsQuery(parts.knowsPast),
  answers: { 200: { json: NEIGHBORS_JSON } },
  example: { query: { entity: 'project:atlas', depth: 2, scope: 'company', min_confidence: 0.5, limit: 20 } },
  async handle(request) {
    const { caller, query } = request;
    const narrowed = readNarrowing(narrowingOf(query), { caller, names: parts.names, place: 'query' });
    const walk = { ...walkOf(query), narrowed };
    const limit = eitherOf(query, 'limit', 'page_size') ?? DEFAULT_NEIGHBORS;
    const bound = bindCursor(
      request,
      query.cursor,
      { ...walk, asOf: query.as_of },
      { ...parts, lifetimeMs: parts.cursorLifetimeMs },
    );
    const from = bound.position && positionOf(bound.position);
    const { listed, end, totalHint } = await parts.graph.list(caller, walk, { from, limit, asOf: query.as_of });
    const list = await spellList(listed.slice(0, limit), ({ neighbor }) => neighborJson(neighbor));
    const next = list.count < listed.length ? listed[list.count - 1]?.position : end;
    const [entity, ...others] = query.entity;
    return {
      status: 200,
      body: {
        entity,
        ...(others.length === 0 ? {} : { entities: query.entity }),
        depth: walk.depth,
        neighbors: list,
        next_cursor: next == null ? null : bound.after(cursorOf(next)),
        total_hint: totalHint,
      },
    };
  },
});

const walkOf = (query: Query): GraphWalk => ({
  seeds: query.entity,
  depth: query.depth,
  scopes: query.scope === undefined ? undefined : [query.scope],
  relation: eitherOf(query, 'relation', 'relation_filter'),
  minConfidence: query.min_confidence,
});

/** Reads a parameter that has two names. A request may use one of them. */
const eitherOf = <A extends keyof Query, B extends keyof Query>(
  query: Query,
  name: A,
  alias: B,
): Query[A] | Query[B] => {
  if (query[name] !== undefined && query[alias] !== undefined) {
    throw memberRefusal(`query.${alias}`, `is another name for ${name}; give one of them`, 'bad_parameter');
  }
  return query[name] ?? query[alias];
};

const cursorOf = (position: NeighborPosition): CursorPosition => [
  position.hops,
  position.confidence,
  position.entityKey,
  position.relationKey,
  position.factId,
  position.seen,
  Number(position.isOfWhole),
];

const positionOf = ([hops, confidence, entityKey, relationKey, factId, seen, isOfWhole]: CursorPosition) => ({
  hops: Number(hops),
  confidence: Number(confidence),
  entityKey: String(entityKey),
  relationKey: String(relationKey),
  factId: String(factId),
  seen: Number(seen),
  isOfWhole: isOfWhole === 1,
});
