import { foldName, hasForbiddenCodePoint, readRelation } from '../../kernel/internal-api.ts';
import {
  memberRefusal,
  type Notes,
  type Principal,
  readEntityUri,
  SCOPES,
  type Scope,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { type Narrowed, readNarrowing } from '../facts/facts-api.ts';
import type { Moments } from '../time-travel/time-travel-api.ts';
import type { PackOptions } from './pack-by-mmr.ts';
import type { Question } from './recall-api.ts';
import { INVALID_TOKEN_BUDGET, RECALL_DEPTH_EXCEEDED } from './recall-words.ts';
import { DEFAULT_WEIGHTS, readWeights, type StageWeights } from './stage-weights.ts';

/** A checked question, with its defaults. */
export interface RecallRequest {
  /** The query; empty in a recall that names only an entity. */
  readonly query: string;
  readonly entity: string | undefined;
  readonly relation: string | undefined;
  readonly excludedRelations: readonly string[];
  /** Undefined if the question has no filters by times or lists. */
  readonly narrowed: Narrowed | undefined;
  /** The part of the request that refusals name. */
  readonly place: 'body' | 'query';
  readonly tokenBudget: number;
  /** The number of hops of graph expansion, 0 to 2. */
  readonly depth: number;
  readonly weights: StageWeights;
  /** The requested place: `global`, a scope, or the name of a garden. */
  readonly scope: { readonly kind: 'global' } | { readonly kind: 'scope'; readonly scope: Scope } | GardenScope;
  readonly lambdaMmr: number;
  readonly minConfidence: number;
  readonly forceRefresh: boolean;
  readonly includeContradicted: boolean;
  readonly limit: number;
  readonly maxValueBytes: number | undefined;
  /** True to ignore words for times in the query. */
  readonly ignoresTime: boolean;
  readonly explain: boolean;
  /** Ids of facts, whether they exist or not. */
  readonly whyNot: readonly string[];
  /** The notes that make the read one of the past. */
  readonly notes: Notes | undefined;
}

interface GardenScope {
  readonly kind: 'garden';
  readonly name: string;
}

export const MAX_BUDGET = 200_000;
export const MAX_LIMIT = 500;
export const DEFAULT_LIMIT = 100;
export const DEFAULT_LAMBDA = 0.7;
export const DEFAULT_MIN_CONFIDENCE = 0.1;
export const MAX_DEPTH = 2;
export const MAX_EXCLUDED = 20;
export const TIME_CHOICES = ['lift', 'ignore'] as const;
/** The maximum number of facts in `why_not`. */
export const MAX_WHY_NOT = 20;
const FACT_ID = /^[\x21-\x7e]{1,128}$/;
const MAX_QUERY_BYTES = 16 * 1024;
/**
 * Names of a garden besides its URI: a UUID, or a slug with the prefix `garden:`, because a bare word may be a misspelt
 * scope.
 */
const GARDEN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GARDEN_SLUG = /^garden:([a-z0-9][a-z0-9-]{0,62})$/i;

/**
 * Checks a question and adds its defaults. A violation is 422 in a body and 400 in a query, unless its code has another
 * status. The refusal names the member.
 */
export const readQuestion = (
  question: Question,
  place: 'body' | 'query',
  caller: Principal,
  { names, moments }: { readonly names: ServiceNames; readonly moments: Moments | undefined },
): RecallRequest => {
  const status = place === 'body' ? 422 : 400;
  const refuse = (member: string, problem: string): ServiceError =>
    memberRefusal(`${place}.${member}`, problem, 'validation', { status });
  const share = (member: string, given: number | undefined, usual: number): number => {
    if (given === undefined || (given >= 0 && given <= 1)) return given ?? usual;
    throw refuse(member, 'must be a number from 0 to 1');
  };
  const entity = question.entity === undefined ? undefined : readEntityUri(question.entity, `${place}.entity`);
  const relation = question.relation === undefined ? undefined : readRelation(question.relation, `${place}.relation`);
  return {
    query: readQuery(question.query, entity, refuse),
    entity,
    relation,
    excludedRelations: readExcluded(question.excludedRelations, place, refuse),
    narrowed: readNarrowing(question, { caller, names, place }),
    place,
    tokenBudget: readBudget(question.tokenBudget, `${place}.token_budget`, status),
    depth: readDepth(question.depth, question.includeNeighbors),
    weights: question.weights === undefined ? DEFAULT_WEIGHTS : readWeights(question.weights, `${place}.weights`),
    scope: readScope(question.scope ?? 'global', names, refuse),
    lambdaMmr: share('lambda_mmr', question.lambdaMmr, DEFAULT_LAMBDA),
    minConfidence: share('min_confidence', question.minConfidence, DEFAULT_MIN_CONFIDENCE),
    forceRefresh: question.forceRefresh ?? false,
    includeContradicted: question.includeContradicted ?? false,
    limit: readLimit(question.limit, refuse),
    maxValueBytes: question.maxValueBytes,
    ignoresTime: readTime(question.time, refuse) === 'ignore',
    explain: question.explain ?? false,
    whyNot: readWhyNot(question.whyNot, refuse),
    notes: question.asOf === undefined ? undefined : readMoment(question.asOf, `${place}.as_of`, moments),
  };
};

/** True if the request leaves out facts by their time, entity, relation, source or session. */
export const isNarrowing = ({ relation, excludedRelations, narrowed }: RecallRequest): boolean =>
  relation !== undefined || excludedRelations.length > 0 || narrowed !== undefined;

export const packingOf = ({ tokenBudget, limit, lambdaMmr }: RecallRequest): PackOptions => ({
  budget: tokenBudget,
  limit,
  lambda: lambdaMmr,
});

type Refuse = (member: string, problem: string) => ServiceError;

const readQuery = (query: string | undefined, entity: string | undefined, refuse: Refuse): string => {
  if (query === undefined) {
    if (entity === undefined) throw refuse('query', 'is missing: give a query, or an entity');
    return '';
  }
  if (query === '') throw refuse('query', 'must not be empty');
  if (Buffer.byteLength(query) > MAX_QUERY_BYTES)
    throw refuse('query', `must not be longer than ${MAX_QUERY_BYTES} bytes`);
  if (hasForbiddenCodePoint(query)) throw refuse('query', 'must be well-formed text without U+0000');
  return query;
};

const readBudget = (budget: number, path: string, status: number): number => {
  if (Number.isInteger(budget) && budget >= 1 && budget <= MAX_BUDGET) return budget;
  throw memberRefusal(path, `must be a whole number from 1 to ${MAX_BUDGET}`, INVALID_TOKEN_BUDGET, {
    status,
    hint: 'send for example {"query": "Who is Alice?", "token_budget": 500}',
  });
};

const readDepth = (depth = 1, includeNeighbors = true): number => {
  if (Number.isInteger(depth) && depth >= 0 && depth <= MAX_DEPTH) return includeNeighbors ? depth : 0;
  throw new ServiceError(RECALL_DEPTH_EXCEEDED, `depth must be 0 to ${MAX_DEPTH}`);
};

const readLimit = (limit = DEFAULT_LIMIT, refuse: Refuse): number => {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw refuse('limit', `must be a whole number from 1 to ${MAX_LIMIT}`);
};

const readTime = (time: Question['time'] = 'lift', refuse: Refuse): Question['time'] => {
  if (TIME_CHOICES.includes(time)) return time;
  throw refuse('time', `must be ${TIME_CHOICES.join(' or ')}`);
};

const readExcluded = (relations: readonly string[] = [], place: string, refuse: Refuse): readonly string[] => {
  if (relations.length > MAX_EXCLUDED) throw refuse('exclude_relations', `must name at most ${MAX_EXCLUDED} relations`);
  return relations.map((one, at) => readRelation(one, `${place}.exclude_relations[${at}]`));
};

const readWhyNot = (ids: readonly string[] = [], refuse: Refuse): readonly string[] => {
  if (ids.length > MAX_WHY_NOT) throw refuse('why_not', `must name at most ${MAX_WHY_NOT} facts`);
  const bad = ids.findIndex((id) => !FACT_ID.test(id));
  if (bad >= 0) throw refuse(`why_not[${bad}]`, 'must be the id of a fact');
  return ids;
};

const readMoment = (asOf: string, path: string, moments: Moments | undefined): Notes => {
  if (moments !== undefined) return moments.asOf(asOf, path);
  throw memberRefusal(
    path,
    'cannot be used: this node recalls what is known now alone, because its plugin time-travel is switched off',
    'bad_parameter',
  );
};

const readScope = (name: string, names: ServiceNames, refuse: Refuse): RecallRequest['scope'] => {
  if (name === 'global') return { kind: 'global' };
  const scope = SCOPES.find((known) => known === name);
  if (scope !== undefined) return { kind: 'scope', scope };
  const slug = GARDEN_SLUG.exec(name)?.[1];
  if (slug !== undefined) return { kind: 'garden', name: slug };
  if (GARDEN_ID.test(name) || foldName(name).startsWith(names.scheme)) return { kind: 'garden', name };
  throw refuse('scope', `must be global, one of ${SCOPES.join(', ')}, or a garden: its URI, its id or garden:<slug>`);
};
