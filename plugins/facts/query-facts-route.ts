import {
  type CursorParts,
  FACT_PART,
  FIELDS_TEXT,
  listTexts,
  objectSchema,
  type PageQuery,
  pageMembers,
  spellBody,
} from '../../kernel/internal-api.ts';
import {
  bindCursor,
  COUNT_JSON,
  CURSOR_JSON,
  type CursorPosition,
  component,
  FACT,
  type FactFields,
  type FactText,
  type JsonSchema,
  listOf,
  objectOf,
  type Route,
  SCOPES,
  type Scope,
  spellList,
} from '../../kernel/plugin-api.ts';
import { type AnswerCache, isReply } from './answer-cache.ts';
import type { FactNarrowing } from './fact-narrowing.ts';
import {
  type FactQuestion,
  type Queries,
  type QueryMember,
  QueryMembers,
  type ReadParameter,
  ReadParameters,
} from './facts-api.ts';
import { NARROWING_QUERY, narrowingOf } from './narrowing-json.ts';
import { claimedParameters } from './read-parameters.ts';
import type { ReadSession } from './read-session.ts';

const MAX_PAGE = 500;
const DEFAULT_PAGE = 50;
/** The cost of a query that names no entity, because `total` counts all its matches. */
const COST_OF_MANY = 250;
/** The least cost of a query of one entity: that of a default page, because `total` counts all facts of the entity. */
const COST_OF_ENTITY = DEFAULT_PAGE;

interface FactsQuery extends FactNarrowing, PageQuery {
  readonly entity?: string;
  readonly relation?: string;
  readonly source?: string;
  readonly scope?: Scope;
  readonly min_confidence?: number;
  readonly include_contradicted: boolean;
  readonly include_expired: boolean;
  readonly include_retracted: boolean;
  readonly garden_id?: string;
  readonly attested?: boolean;
  readonly session?: string;
  readonly fields?: string;
}

export interface FactPageParts extends CursorParts {
  readonly queries: Queries;
  readonly factText: FactText;
  readonly fields: FactFields;
  readonly readSession: ReadSession;
  readonly cache: AnswerCache;
  readonly parameters: readonly ReadParameter[];
  /** The members of the answer that plugins set. */
  readonly members: readonly QueryMember[];
}

const TOTAL_HEADER = { 'X-Total-Count': 'The same number as `total`' };

/** The route refuses these parameters if no plugin defines them, because the present state would be a wrong answer. */
const OTHER_TIMES = ['as_of', 'valid_at'] as const;

/**
 * `GET /v1/facts` returns one page of the facts that the caller may see, newest first, with the number of all matches.
 */
export const queryFactsRoute = (parts: FactPageParts): Route<undefined, FactsQuery> => {
  const { queries, factText, fields, readSession } = parts;
  const claimed = claimedParameters(parts.parameters, OTHER_TIMES);
  return {
    method: 'GET',
    path: '/v1/facts',
    summary: 'Query facts',
    access: { permission: 'read' },
    dimension: 'fact_read',
    cost: ({ query }) => Math.max(query.entity === undefined ? COST_OF_MANY : COST_OF_ENTITY, query.limit),
    query: objectSchema<FactsQuery>({ ...FILTERS, ...claimed.properties }),
    headers: readSession.headers,
    answers: {
      200: {
        json: pageJson(component(FACT), parts.members),
        part: pageJson(component(FACT_PART), parts.members),
        headers: TOTAL_HEADER,
      },
    },
    example: { query: { entity: 'project:atlas', scope: 'company', min_confidence: 0.5, limit: 20 } },
    async handle(request) {
      const { caller, query } = request;
      const sessionId = readSession(request);
      const notes = claimed.notesOf(query);
      const toJson = fields.read(query.fields, 'query');
      const question = questionOf(query);
      const isPlain = query.entity !== undefined && sessionId === null && notes === undefined && !query.cursor;
      const open = isPlain ? parts.cache.find(caller, query) : undefined;
      if (open !== undefined && isReply(open)) return open;
      const bound = bindCursor(request, query.cursor, [question, claimed.valuesOf(query)], parts);
      const position = bound.position && positionOf(bound.position);
      const page = await queries.page(caller, question, {
        ...{ sessionId, notes, limit: query.limit, position },
        withLifetime: open?.isRepeated === true,
      });
      const list = await (toJson === undefined ? listTexts(page.facts, factText) : spellList(page.facts, toJson));
      const next = list.isCut ? page.facts[list.count - 1]?.fact : page.next;
      const cursor = next == null ? null : bound.after([next.timestampMs, next.id]);
      const { total, members } = page;
      const own = { facts: list, total, cursor };
      const body = { ...own, tombstone_notices: [], ...members, ...own };
      const headers = { 'X-Total-Count': String(total) };
      if (page.lifetime === undefined || cursor !== null) return { status: 200, headers, body };
      const reply = { status: 200, headers, text: spellBody(body) };
      open?.cache(reply, page.lifetime);
      return reply;
    },
  };
};

const FILTERS = {
  entity: { type: 'string' },
  relation: { type: 'string' },
  source: { type: 'string' },
  scope: { type: 'string', enum: SCOPES },
  min_confidence: { type: 'number', minimum: 0, maximum: 1 },
  include_contradicted: { type: 'boolean', default: false },
  include_expired: { type: 'boolean', default: false },
  include_retracted: { type: 'boolean', default: false },
  ...NARROWING_QUERY,
  garden_id: { type: 'string' },
  attested: { type: 'boolean' },
  session: { type: 'string' },
  fields: FIELDS_TEXT,
  ...pageMembers(DEFAULT_PAGE, MAX_PAGE),
} as const;

/** Reserves the parameters of this route and of the provenance route, so that plugins cannot define them. */
export const RESERVED_PARAMETERS = [...Object.keys(FILTERS), 'depth'].map((name) => ReadParameters.reserve(name));

const OWN_JSON = {
  facts: {},
  total: COUNT_JSON,
  cursor: CURSOR_JSON,
  tombstone_notices: { type: 'array' },
} as const;

/** Reserves the answer's own members, so that plugins cannot define them. */
export const RESERVED_ANSWERS = Object.keys(OWN_JSON).map((name) => QueryMembers.reserve(name));

const pageJson = (fact: JsonSchema, members: readonly QueryMember[]): JsonSchema =>
  objectOf(
    { ...OWN_JSON, facts: listOf(fact), ...Object.fromEntries(members.map(({ id, json }) => [id, json])) },
    { optional: members.filter(({ optional }) => optional === true).map(({ id }) => id) },
  );

const questionOf = (query: FactsQuery): FactQuestion => ({
  entity: query.entity,
  relation: query.relation,
  source: query.source,
  scope: query.scope,
  garden: query.garden_id,
  minConfidence: query.min_confidence,
  attested: query.attested,
  session: query.session,
  ...narrowingOf(query),
  includeContradicted: query.include_contradicted,
  includeExpired: query.include_expired,
  includeRetracted: query.include_retracted,
});

const positionOf = ([timestampMs, id]: CursorPosition) => ({ timestampMs: Number(timestampMs), id: String(id) });
