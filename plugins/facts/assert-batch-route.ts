import { type BodyItem, objectSchema, problemOf } from '../../kernel/internal-api.ts';
import {
  type AppendVerdict,
  COUNT_JSON,
  component,
  FACT,
  listOf,
  objectOf,
  PROBLEM,
  type Reply,
  type Route,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { Quotas } from '../rate-limits/rate-limits-api.ts';
import { type AssertParts, IDEMPOTENCY_HEADER, onceReply, REPLAYED_HEADER } from './assert-fact-route.ts';
import { ASSERTION } from './assertion-schema.ts';
import type { OnceForAll, RecordedAnswer } from './facts-api.ts';

const MAX_BATCH_ITEMS = 1000;

interface BatchParts extends AssertParts {
  readonly names: ServiceNames;
  /** Counts each item of a batch as one request. */
  readonly quotas: Pick<Quotas, 'takeRest'> | undefined;
}

interface BatchQuery {
  readonly dry_run: boolean;
}

/** `POST /v1/facts/batch` stores all accepted items in one transaction, and returns one result per item. */
export const assertBatchRoute = (parts: BatchParts): Route<undefined, BatchQuery, readonly BodyItem[]> => ({
  method: 'POST',
  path: '/v1/facts/batch',
  summary: 'Assert up to 1000 facts in one transaction, each with its own verdict',
  access: { permission: 'write' },
  dimension: 'fact_write',
  bodyForm: 'items',
  bodyShown: component(ASSERTION),
  bodyLimit: 'bulk',
  query: objectSchema<BatchQuery>({
    dry_run: { type: 'boolean', default: false, description: 'Judges the items, and stores nothing.' },
  }),
  headers: { ...parts.readSession.headers, ...IDEMPOTENCY_HEADER },
  answers: { 200: { json: BATCH_JSON, headers: REPLAYED_HEADER } },
  example: {
    headers: { 'Idempotency-Key': 'indexer-run-2026-05-04' },
    body: [
      {
        entity: 'user:alice',
        relation: 'memory:works_on',
        value: { type: 'ref', v: 'project:atlas' },
        source: 'agent:indexer',
        scope: 'company',
      },
      {
        entity: 'project:atlas',
        relation: 'memory:budget_eur',
        value: { type: 'number', v: 120_000 },
        source: 'agent:indexer',
        confidence: 0.8,
        scope: 'company',
      },
    ],
  },
  async handle(request) {
    const { assertions, readSession, quotas } = parts;
    const { caller, query, body: items } = request;
    checkCount(items.length);
    const options = { sessionId: readSession(request) };
    const counted = await quotas?.takeRest(caller, 'fact_write', items.length);
    if (query.dry_run) {
      const judged = await assertions.rehearseAll(caller, items, options);
      return { ...answerOf(judged, parts, { isDry: true }), headers: counted ?? {} };
    }
    const key = request.header('idempotency-key');
    const reply: Reply =
      key === undefined
        ? answerOf(await assertions.assertAll(caller, items, options), parts)
        : onceReply(await assertions.assertAllOnce(caller, items, onceForAll(key, parts), options));
    return { ...reply, headers: { ...counted, ...reply.headers } };
  },
});

const BATCH_JSON = objectOf({
  accepted: COUNT_JSON,
  rejected: COUNT_JSON,
  results: listOf(
    objectOf(
      {
        index: COUNT_JSON,
        status: COUNT_JSON,
        existing: { const: true, description: 'Present when the item repeats a stored fact.' },
        fact: component(FACT),
        error: component(PROBLEM),
      },
      { optional: ['existing', 'fact', 'error'] },
    ),
  ),
});

const checkCount = (count: number): void => {
  if (count === 0) throw new ServiceError('validation', 'the batch holds no item');
  if (count > MAX_BATCH_ITEMS) {
    throw new ServiceError('batch_too_large', `a batch holds at most ${MAX_BATCH_ITEMS} items`, {
      hint: 'send the rest in further batches',
    });
  }
};

const onceForAll = (key: string, parts: BatchParts): OnceForAll => ({
  key,
  request: 'POST /v1/facts/batch',
  answer: (verdicts) => answerOf(verdicts, parts),
  withhold(recorded, refusals) {
    if (!refusals.some(lacksRight)) return recorded;
    const { results } = JSON.parse(recorded.text) as { readonly results: readonly ResultJson[] };
    const told = results.map((result, index) => {
      const refusal = refusals[index];
      return lacksRight(refusal) ? rejectedJson(index, refusal, parts.names) : result;
    });
    return answerWith(told);
  },
});

interface ResultJson {
  readonly index: number;
  readonly status: number;
}

const answerOf = (
  verdicts: readonly AppendVerdict[],
  { factJson, names }: BatchParts,
  { isDry = false }: { readonly isDry?: boolean } = {},
): RecordedAnswer =>
  answerWith(
    verdicts.map((verdict, index) => {
      if (verdict.kind === 'rejected') return rejectedJson(index, verdict.error, names);
      const existing = verdict.existing ? { existing: true } : {};
      return { index, status: 201, ...existing, ...(isDry ? {} : { fact: factJson(verdict.view) }) };
    }),
  );

const answerWith = (results: readonly ResultJson[]): RecordedAnswer => {
  const accepted = results.filter(({ status }) => status === 201).length;
  return { status: 200, text: JSON.stringify({ accepted, rejected: results.length - accepted, results }) };
};

const rejectedJson = (index: number, refusal: ServiceError, names: ServiceNames) => {
  const error = problemOf(refusal, { names });
  return { index, status: error.status, error };
};

const lacksRight = (refusal: ServiceError | undefined): refusal is ServiceError =>
  refusal !== undefined && (refusal.status === 403 || refusal.status === 404);
