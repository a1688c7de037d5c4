import { type Clock, type CommandServer, type ServerReply, ServiceError } from '../../kernel/plugin-api.ts';

/** Pauses between tries; a request is given up after the last one. */
const RETRY_DELAYS_MS = [100, 500, 2_000, 5_000, 10_000] as const;
const MAX_RETRY_AFTER_S = 60;
/** Worth another try: the same idempotency key makes sure that nothing is stored twice. */
const RETRIED_STATUSES = new Set([429, 502, 503, 504]);
/** A plugin may sit behind a proxy that answers anything: text of others is cut before it is shown. */
const MAX_SHOWN_DETAIL = 500;

export interface BatchTarget {
  readonly server: CommandServer;
  /** For the pauses between tries. */
  readonly clock: Clock;
}

export interface RejectedItem {
  /** Position in the body, from 0. */
  readonly index: number;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
}

export interface BatchAnswer {
  readonly accepted: number;
  readonly rejected: readonly RejectedItem[];
  /** The node had stored this very request before and repeated its answer. */
  readonly replayed: boolean;
}

export interface Patience {
  /** False gives up at once when nobody answers: a wrong address is likelier than a node that is about to start. */
  readonly answeredBefore: boolean;
  /** Is told before every pause. */
  onPause(reason: string, delayMs: number): void;
}

/**
 * Asserts the lines of `body` in one request and one transaction. Tries again while the node is out of reach for a
 * moment or asks for patience; rejects with a ServiceError when it refuses the request as a whole.
 */
export const sendBatch = async (
  target: BatchTarget,
  body: Buffer,
  idempotencyKey: string,
  { answeredBefore, onPause }: Patience,
): Promise<BatchAnswer> => {
  for (let attempt = 0; ; attempt += 1) {
    const answer = await post(target, body, idempotencyKey);
    if (!(answer instanceof ServiceError) && answer.status === 200) return readAnswer(answer);
    const error = answer instanceof ServiceError ? answer : refusedRequest(answer);
    const delayMs = RETRY_DELAYS_MS[attempt];
    const isTemporary = answer instanceof ServiceError ? answeredBefore || attempt > 0 : asksForPatience(answer);
    if (delayMs === undefined || !isTemporary) throw error;
    const pauseMs = answer instanceof ServiceError ? delayMs : Math.max(delayMs, retryAfterMs(answer));
    onPause(error.message, pauseMs);
    await new Promise<void>((resolve) => void target.clock.schedule(pauseMs, resolve));
  }
};

/** A ServiceError is returned when no answer came. */
const post = ({ server }: BatchTarget, body: Buffer, idempotencyKey: string): Promise<ServerReply | ServiceError> =>
  server
    .send({
      method: 'POST',
      path: '/v1/facts/batch',
      headers: { 'content-type': 'application/x-ndjson', 'idempotency-key': idempotencyKey },
      body,
    })
    .catch((error: unknown) => {
      if (error instanceof ServiceError) return error;
      throw error;
    });

/** How long the node asks to wait. */
const retryAfterMs = (reply: ServerReply): number =>
  Math.min(Number(reply.header('retry-after') ?? 0) || 0, MAX_RETRY_AFTER_S) * 1_000;

const asksForPatience = ({ status, document }: ServerReply): boolean =>
  RETRIED_STATUSES.has(status) || (status === 409 && document['code'] === 'idempotency_in_progress');

const HINTS: Readonly<Record<number, string>> = {
  401: 'set SVC_API_KEY, or name a file that holds the key with --key-file',
  403: 'the key needs the permission "write"; "fact-memory-node key list" shows what it has',
  404: 'check the address: no fact-memory node answers there, or its plugin "facts" is off',
  413: 'send fewer lines at once with --batch',
  429: 'send fewer lines at once with --batch, or try again later',
};

const refusedRequest = ({ status, document }: ServerReply): ServiceError => {
  const hint = HINTS[status];
  return new ServiceError('unavailable', `the node answered ${status}: ${textOf(document['detail'], 'no detail')}`, {
    ...(hint === undefined ? {} : { hint }),
  });
};

const readAnswer = (reply: ServerReply): BatchAnswer => {
  const { document } = reply;
  const results = document['results'];
  if (!Array.isArray(results)) {
    throw new ServiceError('unavailable', 'the answer is not one of a fact-memory node', { hint: HINTS[404] ?? '' });
  }
  const rejected: RejectedItem[] = [];
  for (const result of results as readonly Record<string, unknown>[]) {
    const error = result['error'] as Readonly<Record<string, unknown>> | undefined;
    if (error === undefined) continue;
    rejected.push({
      index: Number(result['index']),
      status: Number(result['status']),
      code: textOf(error['code'], 'error'),
      detail: textOf(error['detail'], 'no detail'),
    });
  }
  const replayed = reply.header('idempotency-replayed') === 'true';
  return { accepted: results.length - rejected.length, rejected, replayed };
};

/** Text of another machine, fit for a terminal. */
const textOf = (value: unknown, otherwise: string): string =>
  typeof value === 'string'
    ? value.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ').slice(0, MAX_SHOWN_DETAIL)
    : otherwise;
