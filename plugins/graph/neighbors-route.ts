import {
  bindCursor,
  type Clock,
  type CursorCodec,
  type CursorPosition,
  type Facts,
  memberRefusal,
  type Principal,
  type Route,
  readEntityUri,
  readRelation,
  requireReadScope,
  SCOPES,
  type Scope,
  schema,
  spellList,
} from '../../kernel/plugin-api.ts';
import type { EntityGraph, GraphWalk, NeighborPosition } from './graph-api.ts';
import { neighborJson } from './neighbor-json.ts';

/** Wire contract 1.10 and 8. */
const MAX_PAGE = 200;
const DEFAULT_PAGE = 50;
const MAX_DEPTH = 2;
/** More seeds than anybody names by hand, and few enough for one request line. */
const MAX_SEEDS = 100;

interface Query {
  readonly entity: readonly string[];
  readonly depth: number;
  readonly scope?: Scope;
  readonly relation?: string;
  readonly relation_filter?: string;
  readonly min_confidence: number;
  readonly limit?: number;
  readonly page_size?: number;
  readonly cursor?: string;
}

const PAGE_SIZE = { type: 'integer', minimum: 1, maximum: MAX_PAGE } as const;

const neighborsQuery = schema<Query>({
  type: 'object',
  required: ['entity'],
  properties: {
    entity: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: MAX_SEEDS },
    depth: { type: 'integer', default: 1 },
    scope: { type: 'string', enum: SCOPES },
    relation: { type: 'string' },
    relation_filter: { type: 'string' },
    min_confidence: { type: 'number', minimum: 0, maximum: 1, default: 0.1 },
    limit: PAGE_SIZE,
    page_size: PAGE_SIZE,
    cursor: { type: 'string' },
  },
});

export interface NeighborsParts {
  readonly graph: EntityGraph;
  readonly facts: Facts;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly cursorLifetimeMs: number;
}

/** `GET /v1/graph/neighbors` (wire contract 8): entities within one or two edges of the seeds, nearest first. */
export const neighborsRoute = (parts: NeighborsParts): Route<undefined, Query> => ({
  method: 'GET',
  path: '/v1/graph/neighbors',
  summary: 'Entities that ref facts connect with the given ones',
  access: { permission: 'read' },
  dimension: 'graph_query',
  query: neighborsQuery,
  async handle(request) {
    const { caller, query } = request;
    const walk = readWalk(query, caller);
    const limit = eitherOf(query, 'limit', 'page_size') ?? DEFAULT_PAGE;
    const bound = bindCursor(request, query.cursor, walk, { ...parts, lifetimeMs: parts.cursorLifetimeMs });
    const from = bound.position && positionOf(bound.position);
    const page = await parts.facts.read(caller, 'query', (reader) => parts.graph.page(reader, walk, from, limit));
    const { listed, end, totalHint } = page;
    const list = spellList(listed.slice(0, limit), ({ neighbor }) => neighborJson(neighbor));
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

const readWalk = (query: Query, caller: Principal): GraphWalk => {
  const { scope, depth } = query;
  if (depth < 1 || depth > MAX_DEPTH) {
    throw memberRefusal('query.depth', `must be from 1 to ${MAX_DEPTH}`, 'graph_depth_exceeded');
  }
  const seeds = query.entity.map((entity) => readEntityUri(entity, 'query.entity'));
  const relation = eitherOf(query, 'relation', 'relation_filter');
  if (scope !== undefined) requireReadScope(caller, scope);
  return {
    seeds,
    depth,
    scopes: scope === undefined ? undefined : [scope],
    relation: relation === undefined ? undefined : readRelation(relation, 'query.relation'),
    minConfidence: query.min_confidence,
  };
};

/** A parameter with two spellings, of which one may be used. */
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
