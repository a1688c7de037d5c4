/** The outcome of a failed try. */
export interface Failure {
  /** 0 without a reply. */
  readonly status: number;
  readonly code: string;
  /** Seconds. */
  readonly retryAfter?: number | undefined;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/** The client does not wait for a longer pause: the caller gets the error, which has the pause. */
const MAX_RETRY_AFTER_S = 60;

/** POST requests that change nothing, so that they may be sent twice. */
const READING_POSTS: ReadonlySet<string> = new Set([
  'POST /v1/recall',
  'POST /v1/lint',
  'POST /v1/synthesis',
  'POST /v1/facts/{id}/verify-cid',
  'POST /v1/federation/capability-tokens/verify',
  'POST /v1/agents/{agent_id}/recall-instruction',
]);

/** POST requests that the node does once for each Idempotency-Key. */
export const KEYED_POSTS: ReadonlySet<string> = new Set(['POST /v1/facts', 'POST /v1/facts/batch']);

/** Whether a request may be repeated when the outcome of the first is unknown. */
export const isRepeatable = (route: string, hasIdempotencyKey: boolean): boolean =>
  /^(GET|PUT|DELETE) /.test(route) || READING_POSTS.has(route) || hasIdempotencyKey;

/** Whether another try can succeed after this failure. */
export const deservesRetry = ({ status, code, retryAfter = 0 }: Failure, repeatable: boolean): boolean => {
  if (retryAfter > MAX_RETRY_AFTER_S) return false;
  // Refused by a rate limit before anything was done.
  if (status === 429) return true;
  if (code === 'idempotency_in_progress') return true;
  return repeatable && (status === 0 || status === 503);
};

/** Milliseconds to wait before a further try, counted from 0. `random` is from 0 to less than 1. */
export const delayBefore = (tries: number, retryAfter: number | undefined, random: number): number => {
  const backOff = Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS);
  // Jitter spreads many clients that were refused together.
  return retryAfter === undefined ? backOff * (0.5 + random / 2) : retryAfter * 1_000 + backOff * random;
};
