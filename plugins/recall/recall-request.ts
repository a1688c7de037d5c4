import {
  hasForbiddenCodePoint,
  memberRefusal,
  readEntityUri,
  readRelation,
  SCOPES,
  type Scope,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import { INVALID_TOKEN_BUDGET, RECALL_DEPTH_EXCEEDED } from './recall-words.ts';
import { DEFAULT_WEIGHTS, readWeights, type StageWeights } from './stage-weights.ts';

/** A recall as it was asked for, checked, with defaults filled in (wire contract 6.1). */
export interface RecallRequest {
  /** Empty when only an entity is asked about. */
  readonly query: string;
  readonly entity: string | undefined;
  readonly relation: string | undefined;
  readonly tokenBudget: number;
  /** Hops of graph expansion, 0 to 2. */
  readonly depth: number;
  readonly weights: StageWeights;
  /** `global`, a scope, or the name of a garden. */
  readonly scope: { readonly kind: 'global' } | { readonly kind: 'scope'; readonly scope: Scope } | GardenScope;
  readonly lambdaMmr: number;
  readonly minConfidence: number;
  readonly forceRefresh: boolean;
  readonly includeContradicted: boolean;
  readonly limit: number;
}

interface GardenScope {
  readonly kind: 'garden';
  readonly name: string;
}

/**
 * What both forms of the request hold after their schemas; members whose refusals have codes of their own are still
 * unchecked.
 */
export interface RawRecall {
  readonly query?: string | null;
  readonly entity?: string | null;
  readonly relation?: string | null;
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
  readonly as_of?: unknown;
}

export const MAX_BUDGET = 200_000;
export const MAX_LIMIT = 500;
export const DEFAULT_LIMIT = 100;
export const DEFAULT_LAMBDA = 0.7;
export const DEFAULT_MIN_CONFIDENCE = 0.1;
const MAX_DEPTH = 2;
const MAX_QUERY_BYTES = 16 * 1024;
/**
 * What a garden can be called beside its URI: a UUID, or a slug that is said to be one, because a bare word may be a
 * slip in a scope.
 */
const GARDEN_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const GARDEN_SLUG = /^garden:([a-z0-9][a-z0-9-]{0,62})$/i;

/**
 * `root` is `body` or `query`: a violation is 422 in the one and 400 in the other, unless its code has a status of its
 * own.
 */
export const readRecallRequest = (raw: RawRecall, root: 'body' | 'query', names: ServiceNames): RecallRequest => {
  const status = root === 'body' ? 422 : 400;
  const refuse = (member: string, problem: string): ServiceError =>
    memberRefusal(`${root}.${member}`, problem, 'validation', { status });
  if (raw.as_of != null)
    throw memberRefusal(`${root}.as_of`, 'cannot be used yet: this node answers for now alone', 'bad_parameter');
  const entity = raw.entity == null ? undefined : readEntityUri(raw.entity, `${root}.entity`);
  const relation = raw.relation == null ? undefined : readRelation(raw.relation, `${root}.relation`);
  return {
    query: readQuery(raw.query, entity, refuse),
    entity,
    relation,
    tokenBudget: readBudget(raw.token_budget, `${root}.token_budget`, status),
    depth: readDepth(raw.depth, raw.include_neighbors),
    weights: raw.weights == null ? DEFAULT_WEIGHTS : readWeights(raw.weights, `${root}.weights`),
    scope: readScope(raw.scope ?? 'global', names, refuse),
    lambdaMmr: raw.lambda_mmr ?? DEFAULT_LAMBDA,
    minConfidence: raw.min_confidence ?? DEFAULT_MIN_CONFIDENCE,
    forceRefresh: raw.force_refresh ?? false,
    includeContradicted: raw.include_contradicted ?? false,
    limit: raw.limit ?? DEFAULT_LIMIT,
  };
};

type Refuse = (member: string, problem: string) => ServiceError;

const readQuery = (query: string | null | undefined, entity: string | undefined, refuse: Refuse): string => {
  if (query == null) {
    if (entity === undefined) throw refuse('query', 'is missing: give a query, or an entity');
    return '';
  }
  if (query === '') throw refuse('query', 'must not be empty');
  if (Buffer.byteLength(query) > MAX_QUERY_BYTES)
    throw refuse('query', `must not be longer than ${MAX_QUERY_BYTES} bytes`);
  if (hasForbiddenCodePoint(query)) throw refuse('query', 'must be well-formed text without U+0000');
  return query;
};

const readBudget = (budget: unknown, path: string, status: number): number => {
  if (typeof budget === 'number' && Number.isInteger(budget) && budget >= 1 && budget <= MAX_BUDGET) return budget;
  throw memberRefusal(path, `must be a whole number from 1 to ${MAX_BUDGET}`, INVALID_TOKEN_BUDGET, { status });
};

const readDepth = (depth = 1, includeNeighbors = true): number => {
  if (depth >= 0 && depth <= MAX_DEPTH) return includeNeighbors ? depth : 0;
  throw new ServiceError(RECALL_DEPTH_EXCEEDED, `depth must be 0 to ${MAX_DEPTH}`);
};

const readScope = (name: string, names: ServiceNames, refuse: Refuse): RecallRequest['scope'] => {
  if (name === 'global') return { kind: 'global' };
  const scope = SCOPES.find((known) => known === name);
  if (scope !== undefined) return { kind: 'scope', scope };
  const slug = GARDEN_SLUG.exec(name)?.[1];
  if (slug !== undefined) return { kind: 'garden', name: slug };
  if (GARDEN_ID.test(name) || name.toLowerCase().startsWith(names.scheme)) return { kind: 'garden', name };
  throw refuse('scope', `must be global, one of ${SCOPES.join(', ')}, or a garden: its URI, its id or garden:<slug>`);
};
