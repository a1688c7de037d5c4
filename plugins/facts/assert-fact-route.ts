import {
  component,
  FACT,
  type FactJson,
  type FactView,
  type Reply,
  type Route,
  type RouteHeader,
  schema,
} from '../../kernel/plugin-api.ts';
import { ASSERTION } from './assertion-schema.ts';
import type { Assertions, OnceAnswer, RecordedAnswer } from './facts-api.ts';
import type { ReadSession } from './read-session.ts';

export interface AssertParts {
  readonly assertions: Assertions;
  readonly factJson: FactJson;
  readonly readSession: ReadSession;
}

const REQUEST = 'POST /v1/facts';

export const IDEMPOTENCY_HEADER: Readonly<Record<string, RouteHeader>> = {
  'Idempotency-Key': {
    summary: 'Makes the request one that may be repeated: for a day, the same key and body get the first answer',
    json: { type: 'string', pattern: '^[!-~]{1,255}$' },
  },
};
export const REPLAYED_HEADER = { 'Idempotency-Replayed': 'Sent as true with an answer that was given before' };

/** `POST /v1/facts` replies 201 with the stored fact, or with an equal fact that was stored earlier. */
export const assertFactRoute = ({
  assertions,
  factJson,
  readSession,
}: AssertParts): Route<undefined, undefined, object> => ({
  method: 'POST',
  path: '/v1/facts',
  summary: 'Assert a fact',
  access: { permission: 'write' },
  dimension: 'fact_write',
  // The assertion reader checks the members, so that batches share its error codes.
  body: schema<object>({ type: 'object' }),
  bodyShown: component(ASSERTION),
  headers: { ...readSession.headers, ...IDEMPOTENCY_HEADER },
  answers: { 201: { json: component(FACT), headers: REPLAYED_HEADER } },
  example: {
    headers: { 'Idempotency-Key': 'indexer-note-0001' },
    body: {
      entity: 'project:atlas',
      relation: 'memory:status',
      value: { type: 'string', v: 'in beta' },
      source: 'agent:indexer',
      confidence: 0.9,
      scope: 'company',
      valid_until: '2040-01-01T00:00:00Z',
      write_mode: 'assert',
      derived_from: [],
    },
  },
  async handle(request) {
    const { caller, body } = request;
    const options = { sessionId: readSession(request) };
    const key = request.header('idempotency-key');
    if (key === undefined) {
      const { view } = await assertions.assert(caller, body, options);
      return { status: 201, body: factJson(view) };
    }
    const answer = (view: FactView): RecordedAnswer => ({ status: 201, text: JSON.stringify(factJson(view)) });
    return onceReply(await assertions.assertOnce(caller, body, { key, request: REQUEST, answer }, options));
  },
});

export const onceReply = ({ status, text, isReplay }: OnceAnswer): Reply => ({
  status,
  text,
  ...(isReplay && { headers: { 'Idempotency-Replayed': 'true' } }),
});
