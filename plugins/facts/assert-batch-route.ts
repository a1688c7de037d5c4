import {
  type AppendVerdict,
  type BodyItem,
  type FactDraft,
  type FactJson,
  problemOf,
  type Reply,
  type Route,
  ServiceError,
  type ServiceNames,
} from '../../kernel/plugin-api.ts';
import type { AssertParts } from './assert-fact-route.ts';
import type { Answer } from './idempotency.ts';

/** Items of one batch (wire contract 4.4). */
const MAX_BATCH_ITEMS = 1000;

/** POST /v1/facts/batch (wire contract 4.4): a verdict per item; what is accepted is stored in one transaction. */
export const assertBatchRoute = (
  parts: AssertParts & { readonly names: ServiceNames },
): Route<undefined, undefined, readonly BodyItem[]> => ({
  method: 'POST',
  path: '/v1/facts/batch',
  summary: 'Assert up to 1000 facts in one transaction, each with its own verdict',
  access: { permission: 'write' },
  dimension: 'fact_write',
  bodyForm: 'items',
  bodyLimit: 'bulk',
  async handle(request) {
    const { facts, prepare, idempotency, readSession } = parts;
    const { caller, body: items } = request;
    checkCount(items.length);
    const inputs = items.map((item, at) => ({ item, path: `body[${at}]` }));
    const outcomes = await prepare(inputs, { caller, sessionId: readSession(request) });
    const drafts = outcomes.filter((outcome): outcome is FactDraft => !(outcome instanceof ServiceError));
    const answer = (verdicts: readonly AppendVerdict[]): Answer => ({
      status: 200,
      text: JSON.stringify(batchJson(outcomes, verdicts, parts)),
    });
    const reply = await idempotency.run(
      request,
      'POST /v1/facts/batch',
      () => items.map(asked),
      async (recorder) => {
        if (drafts.length === 0) {
          await recorder?.keep(answer([]));
          return answer([]);
        }
        let kept: Answer | undefined;
        const options = recorder?.options((verdicts) => {
          kept = answer(verdicts);
          return kept;
        });
        const verdicts = await facts.appendAll(drafts, caller, { ...options, exclusive: true });
        return kept ?? answer(verdicts);
      },
    );
    return withheld(reply, outcomes, parts.names);
  },
});

const checkCount = (count: number): void => {
  if (count === 0) throw new ServiceError('validation', 'the batch holds no item');
  if (count > MAX_BATCH_ITEMS) {
    throw new ServiceError('batch_too_large', `a batch holds at most ${MAX_BATCH_ITEMS} items`, {
      hint: 'send the rest in further batches',
    });
  }
};

/** What an item asked for, to tell a repeated batch from another one. */
const asked = (item: BodyItem): unknown => ('value' in item ? [item.value] : item.error.code);

const batchJson = (
  outcomes: readonly (FactDraft | ServiceError)[],
  verdicts: readonly AppendVerdict[],
  { factJson, names }: { readonly factJson: FactJson; readonly names: ServiceNames },
): Record<string, unknown> => {
  let appended = 0;
  let accepted = 0;
  const results = outcomes.map((outcome, index) => {
    const verdict = outcome instanceof ServiceError ? refused(outcome) : verdicts[appended++];
    if (verdict === undefined) throw new Error('an item of a batch was left without a verdict');
    if (verdict.kind === 'rejected') return rejectedJson(index, verdict.error, names);
    accepted += 1;
    return { index, status: 201, fact: factJson(verdict.view) };
  });
  return { accepted, rejected: results.length - accepted, results };
};

const refused = (error: ServiceError): AppendVerdict => ({ kind: 'rejected', error });

const rejectedJson = (index: number, refusal: ServiceError, names: ServiceNames) => {
  const error = problemOf(refusal, { names });
  return { index, status: error.status, error };
};

/** A kept answer says no more than the caller may be told today: rights come before idempotency (wire contract 4.2). */
const withheld = (reply: Reply, outcomes: readonly (FactDraft | ServiceError)[], names: ServiceNames): Reply => {
  const isKept = reply.headers?.['Idempotency-Replayed'] !== undefined;
  if (!isKept || typeof reply.text !== 'string' || !outcomes.some(lacksRight)) return reply;
  const kept = JSON.parse(reply.text) as { readonly results: readonly { readonly status: number }[] };
  const results = kept.results.map((result, index) => {
    const outcome = outcomes[index];
    return lacksRight(outcome) ? rejectedJson(index, outcome, names) : result;
  });
  const accepted = results.filter(({ status }) => status === 201).length;
  return { ...reply, text: JSON.stringify({ accepted, rejected: results.length - accepted, results }) };
};

const lacksRight = (outcome: FactDraft | ServiceError | undefined): outcome is ServiceError =>
  outcome instanceof ServiceError && (outcome.status === 403 || outcome.status === 404);
