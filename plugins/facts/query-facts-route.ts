import {
  above,
  bindCursor,
  type Clock,
  type CursorCodec,
  type CursorPosition,
  type FactJson,
  type FactReader,
  type FactSearch,
  type Facts,
  type Filter,
  type GardenAccess,
  memberRefusal,
  type Principal,
  parseHlc,
  parseInstant,
  type ReadSession,
  type Reply,
  type Route,
  readEntityUri,
  readRelation,
  readSessionName,
  refuseGarden,
  SCOPES,
  type Scope,
  ServiceError,
  type SpelledList,
  schema,
  spellList,
} from '../../kernel/plugin-api.ts';
import type { IntactFacts, SessionReads } from './facts-api.ts';

/** Wire contract 1.10. */
const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;

interface FactsQuery {
  readonly entity?: string;
  readonly relation?: string;
  readonly source?: string;
  readonly scope?: Scope;
  readonly min_confidence?: number;
  readonly include_contradicted: boolean;
  readonly include_expired: boolean;
  readonly include_retracted: boolean;
  readonly after?: string;
  readonly garden_id?: string;
  readonly attested?: boolean;
  readonly session?: string;
  readonly as_of?: string;
  readonly valid_at?: string;
  readonly cursor?: string;
  readonly limit: number;
}

const factsQuery = schema<FactsQuery>({
  type: 'object',
  properties: {
    entity: { type: 'string' },
    relation: { type: 'string' },
    source: { type: 'string' },
    scope: { type: 'string', enum: SCOPES },
    min_confidence: { type: 'number', minimum: 0, maximum: 1 },
    include_contradicted: { type: 'boolean', default: false },
    include_expired: { type: 'boolean', default: false },
    include_retracted: { type: 'boolean', default: false },
    after: { type: 'string' },
    garden_id: { type: 'string' },
    attested: { type: 'boolean' },
    session: { type: 'string' },
    as_of: { type: 'string' },
    valid_at: { type: 'string' },
    cursor: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: DEFAULT_PAGE },
  },
});

export interface QueryParts {
  readonly facts: Facts;
  readonly factJson: FactJson;
  readonly clock: Clock;
  readonly cursors: CursorCodec;
  readonly intact: IntactFacts;
  readonly readSession: ReadSession;
  readonly sessionReads: SessionReads;
  readonly gardens: GardenAccess | undefined;
}

/**
 * GET /v1/facts (wire contract 4.7): one page of what the caller may see, newest first, with the number of all matches.
 */
export const queryFactsRoute = (parts: QueryParts): Route<undefined, FactsQuery> => ({
  method: 'GET',
  path: '/v1/facts',
  summary: 'Query facts',
  access: { permission: 'read' },
  dimension: 'fact_read',
  query: factsQuery,
  async handle(request) {
    const { caller, query } = request;
    const sessionId = parts.readSession(request);
    const search = readSearch(query, caller);
    const { limit: _, ...filters } = { ...search, garden: query.garden_id };
    const bound = bindCursor(request, query.cursor, filters, parts);
    const position = bound.position && positionOf(bound.position);
    const page = await parts.facts.read(caller, 'query', async (reader) => {
      const gardenId = query.garden_id === undefined ? undefined : await gardenOf(query.garden_id, reader, parts);
      return reader.query({ ...search, gardenId, position });
    });
    const facts = await parts.intact.keepIntact(page.facts, caller);
    const list = spellList(facts, parts.factJson);
    const shown = facts.slice(0, list.count);
    await parts.sessionReads.returned(sessionId, caller, shown);
    const next = list.isCut ? shown.at(-1)?.fact : page.next;
    const cursor = next == null ? null : bound.after([next.timestampMs, next.id]);
    return pageReply(list, page.total, cursor);
  },
});

const gardenOf = async (name: string, { caller, snapshot }: FactReader, { gardens }: QueryParts): Promise<string> => {
  const garden = await gardens?.enter(name.trim(), caller, snapshot);
  if (garden === undefined) throw refuseGarden(caller);
  return garden.id;
};

const pageReply = (facts: SpelledList, total: number, cursor: string | null): Reply => ({
  status: 200,
  headers: { 'X-Total-Count': String(total) },
  body: { facts, total, cursor, tombstone_notices: [] },
});

/**
 * Reads the filters; a later plugin answers for other times, and a silent answer for today would be wrong meanwhile.
 */
const readSearch = (query: FactsQuery, caller: Principal): FactSearch => {
  for (const name of ['as_of', 'valid_at'] as const) {
    if (query[name] !== undefined) throw badParameter(name, 'cannot be used yet: this node answers for now alone');
  }
  const { scope, after, session } = query;
  const search: FactSearch = {
    entity: query.entity === undefined ? undefined : readEntityUri(query.entity, 'query.entity'),
    relation: query.relation === undefined ? undefined : readRelation(query.relation, 'query.relation'),
    source: query.source === undefined ? undefined : readEntityUri(query.source, 'query.source'),
    scope,
    minConfidence: query.min_confidence,
    attested: query.attested,
    session: session === undefined ? undefined : readSessionFilter(session, caller),
    includeContradicted: query.include_contradicted,
    includeExpired: query.include_expired,
    includeRetracted: query.include_retracted,
    after: after === undefined ? undefined : readAfter(after),
    limit: query.limit,
  };
  if (scope !== undefined && !caller.allowedScopes.has(scope)) {
    throw new ServiceError('authorization', `the key may not read scope ${scope}`);
  }
  return search;
};

/** The name of a session is its caller's own: two callers that chose the same one share nothing (wire contract 4.7). */
const readSessionFilter = (text: string, caller: Principal): FactSearch['session'] => {
  const id = readSessionName(text, 'query.session');
  if (id === null) throw badParameter('session', 'must not be empty');
  return caller.permissions.has('admin') ? { id } : { id, assertedBy: caller.entityUri };
};

/** An instant compares with timestamps, a stamp with stamps. */
const readAfter = (text: string): Filter => {
  const stamp = parseHlc(text);
  if (stamp !== null) return above('hlc', stamp);
  const instantMs = parseInstant(text);
  if (instantMs !== null) return above('timestampMs', instantMs);
  throw badParameter('after', 'must be an RFC 3339 date-time with offset, or an hlc');
};

const positionOf = ([timestampMs, id]: CursorPosition) => ({ timestampMs: Number(timestampMs), id: String(id) });

const badParameter = (name: string, problem: string): ServiceError =>
  memberRefusal(`query.${name}`, problem, 'bad_parameter');
