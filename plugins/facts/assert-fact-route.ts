import {
  type FactJson,
  type Facts,
  type ReadSession,
  type Route,
  ServiceError,
  schema,
} from '../../kernel/plugin-api.ts';
import type { PrepareAssertions } from './assertions.ts';
import type { Answer, Idempotency } from './idempotency.ts';

export interface AssertParts {
  readonly facts: Facts;
  readonly factJson: FactJson;
  readonly prepare: PrepareAssertions;
  readonly idempotency: Idempotency;
  readonly readSession: ReadSession;
}

/** POST /v1/facts (wire contract 4.2): 201 with the stored fact, or with the one that it repeats. */
export const assertFactRoute = (parts: AssertParts): Route<undefined, undefined, object> => ({
  method: 'POST',
  path: '/v1/facts',
  summary: 'Assert a fact',
  access: { permission: 'write' },
  dimension: 'fact_write',
  // The reader of assertions checks the members: it serves batches too, and names a code for each kind of violation.
  body: schema<object>({ type: 'object' }),
  async handle(request) {
    const { facts, factJson, prepare, idempotency, readSession } = parts;
    const { caller } = request;
    const input = { item: { value: request.body }, path: 'body' };
    const [draft] = await prepare([input], { caller, sessionId: readSession(request) });
    if (draft === undefined) throw new Error('an assertion was left without an outcome');
    if (draft instanceof ServiceError) throw draft;
    return idempotency.run(
      request,
      'POST /v1/facts',
      () => request.body,
      async (recorder) => {
        let kept: Answer | undefined;
        const options = recorder?.options(([verdict]) => {
          if (verdict?.kind === 'stored') kept = { status: 201, text: JSON.stringify(factJson(verdict.view)) };
          return kept;
        });
        const { view } = await facts.append(draft, caller, options);
        return kept ?? { status: 201, body: factJson(view) };
      },
    );
  },
});
