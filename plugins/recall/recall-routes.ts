import {
  FIELDS_JSON,
  FIELDS_TEXT,
  LIST_BYTES,
  listTexts,
  objectSchema,
  parseStrictJsonText,
} from '../../kernel/internal-api.ts';
import {
  type FactFields,
  type FactText,
  type Principal,
  type Reply,
  type Route,
  type RouteHeader,
  type RouteRequest,
  ServiceError,
  type ServiceNames,
  type SpelledList,
} from '../../kernel/plugin-api.ts';
import { NARROWING_BODY, NARROWING_QUERY, narrowingOf, type RawNarrowing, sessionHeader } from '../facts/facts-api.ts';
import { BYTES_PER_TOKEN } from './fact-line.ts';
import type { Question, Recall, RecallMember, ScoredFact } from './recall-api.ts';
import { countedText, partFactJson, RECALL_ANSWERS, recalledText, scoredFactText } from './recall-json.ts';
import { MAX_BUDGET, MAX_EXCLUDED, MAX_LIMIT, MAX_WHY_NOT, TIME_CHOICES } from './recall-request.ts';
import { INVALID_WEIGHTS } from './recall-words.ts';
import { SHOWN_QUESTION } from './shown-question.ts';
import { WEIGHT_SPELLINGS } from './stage-weights.ts';

export interface RecallRouteParts {
  readonly recall: Recall;
  readonly factText: FactText;
  readonly fields: FactFields;
  readonly names: ServiceNames;
  /** Members of the answer that plugins fill. */
  readonly members: readonly RecallMember[];
}

interface FormQuery {
  readonly legacy_format: boolean;
  /** `fields` as a query parameter, for callers that cannot change the body. */
  readonly fields?: string;
}

/**
 * A question in the spelling of both request forms. `Recall` checks the members that have refusal codes of their own.
 */
interface RawRecall extends RawNarrowing {
  readonly query?: string | null;
  readonly entity?: string | null;
  readonly relation?: string | null;
  readonly exclude_relations?: readonly string[] | null;
  readonly token_budget?: unknown;
  readonly depth?: number;
  readonly weights?: unknown;
  readonly scope?: string | null;
  readonly lambda_mmr?: number;
  readonly min_confidence?: number;
  readonly force_refresh?: boolean;
  readonly include_contradicted?: boolean;
  readonly include_neighbors?: boolean;
  readonly limit?: number;
  readonly max_value_bytes?: number;
  readonly time?: NonNullable<Question['time']> | null;
  readonly explain?: boolean;
  readonly why_not?: readonly string[] | null;
  readonly as_of?: unknown;
  readonly fields?: string | readonly string[];
}

/** The approximate number of facts that a recall examines. */
const COST = 250;

/** The upper limit of `max_value_bytes`. */
const MAX_VALUE_BYTES = 1024 * 1024;

const FORMAT = { legacy_format: { type: 'boolean', default: false }, fields: FIELDS_TEXT } as const;
const UNIT = { type: 'number', minimum: 0, maximum: 1 } as const;

/** The members that both request forms share. */
const MEMBERS = {
  depth: { type: 'integer' },
  lambda_mmr: UNIT,
  min_confidence: UNIT,
  force_refresh: { type: 'boolean' },
  include_contradicted: { type: 'boolean' },
  include_neighbors: { type: 'boolean' },
  limit: { type: 'integer', minimum: 1, maximum: MAX_LIMIT },
  explain: { type: 'boolean' },
  time: { type: 'string', enum: [...TIME_CHOICES] },
  max_value_bytes: {
    type: 'integer',
    minimum: 1,
    maximum: MAX_VALUE_BYTES,
    description: 'With `fields`: longer values are cut, and `value_length` says how long they are.',
  },
} as const;

const text = (type: string | readonly string[]) => ({
  query: { type },
  entity: { type },
  relation: { type },
  scope: { type },
});

/** `POST /v1/recall` */
export const postRecallRoute = (parts: RecallRouteParts): Route<undefined, FormQuery, RawRecall> => ({
  method: 'POST',
  path: '/v1/recall',
  summary: 'Recall the facts that matter for a question, within a token budget',
  access: { permission: 'read' },
  dimension: 'recall',
  cost: COST,
  query: objectSchema<FormQuery>(FORMAT),
  body: objectSchema<RawRecall>({
    ...MEMBERS,
    ...text(['string', 'null']),
    ...NARROWING_BODY,
    exclude_relations: { type: ['array', 'null'], maxItems: MAX_EXCLUDED, items: { type: 'string' } },
    why_not: { type: ['array', 'null'], maxItems: MAX_WHY_NOT, items: { type: 'string' } },
    token_budget: {},
    weights: {},
    as_of: {},
    fields: FIELDS_JSON,
  }),
  bodyShown: SHOWN_QUESTION,
  headers: headersOf(parts),
  answers: RECALL_ANSWERS,
  example: {
    body: {
      query: 'What is the status of project Atlas?',
      scope: 'company',
      token_budget: 1_000,
      depth: 2,
      limit: 20,
      weights: { lexical: 0.3, vector: 0.4, graph: 0.2, source_trust: 0.05, recency: 0.05 },
      min_confidence: 0.1,
      include_neighbors: true,
      include_contradicted: false,
    },
  },
  handle: (request) => answer(request.body, 'body', request, parts),
});

type RecallQuery = Omit<RawRecall, 'fields' | 'exclude_relations' | 'why_not'> &
  FormQuery & { readonly exclude_relations?: string; readonly why_not?: string } & Readonly<Record<string, unknown>>;

const WEIGHT_PARAMETERS = Object.keys(WEIGHT_SPELLINGS).map((name) => `weights.${name}`);

/** `GET /v1/recall`: the same members as parameters. */
export const getRecallRoute = (parts: RecallRouteParts): Route<undefined, RecallQuery> => ({
  method: 'GET',
  path: '/v1/recall',
  summary: 'The same, for questions that fit into an address',
  access: { permission: 'read' },
  dimension: 'recall',
  cost: COST,
  query: objectSchema<RecallQuery>({
    ...FORMAT,
    ...MEMBERS,
    ...text('string'),
    ...NARROWING_QUERY,
    token_budget: { type: 'string', description: `A whole number from 1 to ${MAX_BUDGET}.` },
    exclude_relations: { type: 'string', description: 'Relations to leave out, separated by commas.' },
    why_not: { type: 'string', description: 'Ids of facts, separated by commas: why each is not there.' },
    as_of: { type: 'string', description: 'An instant or a stamp: recalls as of then.' },
    weights: { type: 'string', description: 'The weights as JSON.' },
    ...Object.fromEntries(
      WEIGHT_PARAMETERS.map((name) => [name, { type: 'string', description: 'One weight, a number from 0 to 1.' }]),
    ),
  }),
  headers: headersOf(parts),
  answers: RECALL_ANSWERS,
  example: {
    query: { query: 'What is the status of project Atlas?', scope: 'company', token_budget: 1_000, limit: 20 },
  },
  handle: (request) => {
    const { query } = request;
    const raw = {
      ...query,
      exclude_relations: query.exclude_relations?.split(',', MAX_EXCLUDED + 1) ?? null,
      why_not: query.why_not?.split(',', MAX_WHY_NOT + 1) ?? null,
      token_budget: numberOf(query.token_budget),
      weights: weightsOf(query),
    };
    return answer(raw, 'query', request, parts);
  },
});

const headersOf = ({ names }: RecallRouteParts): Readonly<Record<string, RouteHeader>> => ({
  ...sessionHeader(names),
  [names.headers.verify]: { summary: 'With the word full, the answer proves how the chain of facts stands' },
});

interface Asking extends Pick<RouteRequest<unknown, FormQuery, unknown>, 'header' | 'query'> {
  readonly caller: Principal;
}

const answer = async (
  raw: RawRecall,
  place: 'body' | 'query',
  { caller, header, query }: Asking,
  { recall, factText, fields, names, members }: RecallRouteParts,
): Promise<Reply> => {
  const [asParameter, asMember] = [fields.read(query.fields, 'query'), fields.read(raw.fields, place)];
  const toJson = asParameter ?? asMember;
  const isShort = query.legacy_format || toJson !== undefined;
  // The answer lists each fact twice, unless the caller requests the short form.
  const bytes = isShort ? LIST_BYTES : LIST_BYTES / 2;
  const spell = (fact: ScoredFact): string =>
    toJson === undefined
      ? scoredFactText(fact, factText)
      : JSON.stringify(partFactJson(fact, toJson, raw.max_value_bytes));
  let list: SpelledList | undefined;
  const recalled = await recall.recall(caller, questionOf(raw), {
    session: header(names.headers.session.toLowerCase()),
    verify: header(names.headers.verify.toLowerCase())?.trim().toLowerCase() === 'full',
    place,
    room: async (facts) => {
      const budget = Number(raw.token_budget) * BYTES_PER_TOKEN - HEAD_BYTES;
      list = await listTexts(facts, spell, toJson === undefined ? bytes : Math.min(bytes, Math.max(0, budget)));
      return list.count;
    },
  });
  const texts = list?.texts ?? [];
  const spelled = { isShort, members };
  return {
    status: 200,
    headers: { 'X-Total-Count': String(recalled.totalScored) },
    text: toJson === undefined ? recalledText(recalled, texts, spelled) : countedText(recalled, texts, spelled),
  };
};

/** The approximate size of an answer in bytes, without its facts. */
const HEAD_BYTES = 400;

const questionOf = (raw: RawRecall): Question => ({
  query: raw.query ?? undefined,
  entity: raw.entity ?? undefined,
  relation: raw.relation ?? undefined,
  excludedRelations: raw.exclude_relations ?? undefined,
  ...narrowingOf(raw),
  // `Recall` refuses invalid budgets and weights with codes of their own.
  tokenBudget: raw.token_budget as Question['tokenBudget'],
  weights: (raw.weights ?? undefined) as Question['weights'],
  scope: raw.scope ?? undefined,
  depth: raw.depth,
  lambdaMmr: raw.lambda_mmr,
  minConfidence: raw.min_confidence,
  forceRefresh: raw.force_refresh,
  includeContradicted: raw.include_contradicted,
  includeNeighbors: raw.include_neighbors,
  limit: raw.limit,
  time: raw.time ?? undefined,
  explain: raw.explain,
  whyNot: raw.why_not ?? undefined,
  maxValueBytes: raw.fields === undefined ? undefined : raw.max_value_bytes,
  // A moment must be text; any other value becomes an invalid one.
  asOf: raw.as_of == null ? undefined : typeof raw.as_of === 'string' ? raw.as_of : '',
});

/** Converts plain decimal text to a number. Other text stays unchanged, so that the check refuses it. */
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
    return parseStrictJsonText(query.weights, 'query.weights');
  } catch {
    throw new ServiceError(INVALID_WEIGHTS, 'query.weights must be JSON text, such as {"lexical":1}');
  }
};
