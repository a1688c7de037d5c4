import { ServiceError } from '../../ports/ports.ts';
import type { ServerReply } from './command-server.ts';
import { refusedKey } from './refused-key.ts';
import { type Patience, type PatientTarget, sendPatiently } from './send-patiently.ts';
import { harmlessText } from './shown-text.ts';

/** The maximum length of a shown error text, because a proxy in front of the node may send anything. */
const MAX_SHOWN_DETAIL = 500;

export interface FactBatch {
  /** The lines to send. Each is a JSON body of POST /v1/facts. */
  readonly body: Buffer;
  readonly idempotencyKey: string;
  /** The session of the facts. */
  readonly session?: string | undefined;
  /** True to have the node judge the lines and store nothing. */
  readonly isRehearsal?: boolean;
}

export interface RejectedItem {
  /** The index in the batch, from 0. */
  readonly index: number;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

export interface BatchAnswer {
  readonly accepted: number;
  /** How many of the accepted lines repeat a stored fact. */
  readonly existing: number;
  readonly rejected: readonly RejectedItem[];
  /** True when the node had stored this request before and repeated its answer. */
  readonly replayed: boolean;
}

export interface BatchPatience extends Pick<Patience, 'answeredBefore'> {
  /** Called before every pause. */
  onPause(reason: string, delayMs: number): void;
}

/**
 * Asserts the lines of `body` in one request and one transaction. Retries while the node is briefly unreachable or
 * requests a pause. Rejects with a `ServiceError` when the node refuses the whole request.
 */
export const sendBatch = async (
  target: PatientTarget,
  { body, idempotencyKey, session, isRehearsal = false }: FactBatch,
  { answeredBefore, onPause }: BatchPatience,
): Promise<BatchAnswer> => {
  const headers = { 'content-type': 'application/x-ndjson', 'idempotency-key': idempotencyKey };
  const path = `/v1/facts/batch${isRehearsal ? '?dry_run=true' : ''}`;
  const request = { method: 'POST', path, headers, body, ...(session !== undefined && { session }) };
  const reply = await sendPatiently(target, request, {
    answeredBefore,
    onPause: (why, delayMs) => onPause((why instanceof ServiceError ? why : refusedRequest(why)).message, delayMs),
  });
  if (reply.status === 200) return readAnswer(reply);
  throw (target.refusalOf ?? refusedRequest)(reply);
};

const HINTS: Readonly<Record<number, string>> = {
  403: 'the key needs the permission "write"; "fact-memory-node key list" shows what it has',
  404: 'check the address: no fact-memory node answers there, or its plugin "facts" is off',
  413: 'send fewer lines at once with --batch',
  429: 'send fewer lines at once with --batch, or try again later',
};

const refusedRequest = (reply: ServerReply): ServiceError => {
  const { status, document } = reply;
  const hint = status === 401 ? keyHint(reply) : HINTS[status];
  return new ServiceError('unavailable', `the node answered ${status}: ${textOf(document['detail'], 'no detail')}`, {
    ...(hint === undefined ? {} : { hint }),
  });
};

const keyHint = (reply: ServerReply): string => {
  const { message, hint } = refusedKey(reply);
  return message === undefined ? hint : `${message}: ${hint}`;
};

const readAnswer = (reply: ServerReply): BatchAnswer => {
  const { document } = reply;
  const results = document['results'];
  if (!Array.isArray(results)) {
    throw new ServiceError('unavailable', 'the answer is not one of a fact-memory node', { hint: HINTS[404] ?? '' });
  }
  const rejected: RejectedItem[] = [];
  let existing = 0;
  for (const result of results as readonly Record<string, unknown>[]) {
    const error = result['error'] as Readonly<Record<string, unknown>> | undefined;
    if (result['existing'] === true) existing += 1;
    if (error === undefined) continue;
    rejected.push({
      index: Number(result['index']),
      status: Number(result['status']),
      code: textOf(error['code'], 'error'),
      detail: textOf(error['detail'], 'no detail'),
    });
  }
  const replayed = reply.header('idempotency-replayed') === 'true';
  return { accepted: results.length - rejected.length, existing, rejected, replayed };
};

/** Rewrites positions in the request as positions in the line, because the user sees only the file. */
export const inTermsOfTheLine = (detail: string, index: number): string =>
  detail
    .replace(`the body[${index}] is not valid JSON`, 'not valid JSON')
    .replace(/ at line 1, (column \d+)$/, ' at $1')
    .replaceAll(`body[${index}].`, '')
    .replaceAll(`body[${index}] `, '');

/** Returns foreign text in a form that is safe for a terminal. */
const textOf = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? harmlessText(value).slice(0, MAX_SHOWN_DETAIL) : otherwise;
