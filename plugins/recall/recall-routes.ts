import {
  type Reply,
  type Route,
  type RouteRequest,
  ServiceError,
  type ServiceNames,
  schema,
} from '../../kernel/plugin-api.ts';
import { MAX_LIMIT, type RawRecall, type RecallRequest, readRecallRequest } from './recall-request.ts';
import { INVALID_WEIGHTS } from './recall-words.ts';
import { WEIGHT_SPELLINGS } from './stage-weights.ts';

/** Answers a recall that has been read and checked. */
export type AnswerRecall = (request: RecallRequest, ask: RecallAsk) => Promise<Reply>;

/** What an answer needs of its request beside the recall itself. */
export interface RecallAsk extends Pick<RouteRequest<unknown, unknown, unknown>, 'caller' | 'header'> {
  /** Leaves `content` and `instructions` out. */
  readonly legacyFormat: boolean;
}

interface FormQuery {
  readonly legacy_format: boolean;
}

const FORMAT = { legacy_format: { type: 'boolean', default: false } } as const;
const UNIT = { type: 'number', minimum: 0, maximum: 1 } as const;

/** The members of both forms; what has a code of its own is left to `readRecallRequest`. */
const MEMBERS = {
  depth: { type: 'integer' },
  lambda_mmr: UNIT,
  min_confidence: UNIT,
  force_refresh: { type: 'boolean' },
  include_contradicted: { type: 'boolean' },
  include_neighbors: { type: 'boolean' },
  limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
} as const;

const text = (type: string | readonly string[]) => ({
  query: { type },
  entity: { type },
  relation: { type },
  scope: { type },
});

/** POST /v1/recall (wire contract 6.1). */
export const postRecallRoute = (answer: AnswerRecall, names: ServiceNames): Route<undefined, FormQuery, RawRecall> => ({
  method: 'POST',
  path: '/v1/recall',
  summary: 'Recall the facts that matter for a question, within a token budget',
  access: { permission: 'read' },
  dimension: 'recall',
  query: schema<FormQuery>({ type: 'object', properties: FORMAT }),
  body: schema<RawRecall>({
    type: 'object',
    properties: { ...MEMBERS, ...text(['string', 'null']), token_budget: {}, weights: {}, as_of: {} },
  }),
  handle: ({ caller, header, query, body }) =>
    answer(readRecallRequest(body, 'body', names), { caller, header, legacyFormat: query.legacy_format }),
});

type RecallQuery = RawRecall & FormQuery & Readonly<Record<string, unknown>>;

const WEIGHT_PARAMETERS = Object.keys(WEIGHT_SPELLINGS).map((name) => `weights.${name}`);

/** GET /v1/recall: the same members as parameters. */
export const getRecallRoute = (answer: AnswerRecall, names: ServiceNames): Route<undefined, RecallQuery> => ({
  method: 'GET',
  path: '/v1/recall',
  summary: 'The same, for questions that fit into an address',
  access: { permission: 'read' },
  dimension: 'recall',
  query: schema<RecallQuery>({
    type: 'object',
    properties: {
      ...FORMAT,
      ...MEMBERS,
      ...text('string'),
      token_budget: { type: 'string' },
      as_of: { type: 'string' },
      weights: { type: 'string' },
      ...Object.fromEntries(WEIGHT_PARAMETERS.map((name) => [name, { type: 'string' }])),
    },
  }),
  handle: ({ caller, header, query }) => {
    const raw = { ...query, token_budget: numberOf(query.token_budget), weights: weightsOf(query) };
    return answer(readRecallRequest(raw, 'query', names), { caller, header, legacyFormat: query.legacy_format });
  },
});

/** Text that is no plain decimal number comes back as it was, for its reader to refuse. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(value) ? Number(value) : value;

const weightsOf = (query: RecallQuery): unknown => {
  const named = WEIGHT_PARAMETERS.filter((name) => query[name] !== undefined);
  if (typeof query.weights !== 'string') {
    if (named.length === 0) return undefined;
    return Object.fromEntries(named.map((name) => [name.slice('weights.'.length), numberOf(query[name])]));
  }
  if (named.length > 0) {
    throw new ServiceError(INVALID_WEIGHTS, 'query.weights are given twice: as JSON text and as single parameters');
  }
  try {
    return JSON.parse(query.weights) as unknown;
  } catch {
    throw new ServiceError(INVALID_WEIGHTS, 'query.weights must be JSON text, such as {"lexical":1}');
  }
};
