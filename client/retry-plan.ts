/** The outcome of a failed try. */
export interface Failure {
  /** The status of the reply; 0 without a reply. */
  readonly status: number;
  readonly code: string;
  /** The requested pause in seconds. */
  readonly retryAfter?: number | undefined;
}

const FIRST_DELAY_MS = 250;
const MAX_DELAY_MS = 10_000;
/**
 * The longest requested pause that the client accepts. For a longer one, the caller gets the error, which contains the
 * pause.
 */
const MAX_RETRY_AFTER_S = 60;

/** A reverse proxy returns 502 and 504 while the node behind it restarts. */
const UNAVAILABLE: ReadonlySet<number> = new Set([502, 503, 504]);

/** POST requests that change nothing, so that they are safe to repeat. */
const READING_POSTS: ReadonlySet<string> = new Set([
  'POST /v1/recall',
  'POST /v1/lint',
  'POST /v1/synthesis',
  'POST /v1/facts/{id}/verify-cid',
  'POST /v1/federation/capability-tokens/verify',
  'POST /v1/agents/{agent_id}/recall-instruction',
]);

/** POST requests that the node executes once for each Idempotency-Key. */
export const KEYED_POSTS: ReadonlySet<string> = new Set(['POST /v1/facts', 'POST /v1/facts/batch']);

/** Returns whether a request may be repeated when the outcome of the first try is unknown. */
export const isRepeatable = (route: string, hasIdempotencyKey: boolean): boolean =>
  /^(GET|PUT|DELETE) /.test(route) || READING_POSTS.has(route) || hasIdempotencyKey;

/** Returns whether a status says that the node cannot reply at present. */
export const isUnavailable = (status: number): boolean => UNAVAILABLE.has(status);

/** Returns whether another try can succeed after this failure. */
export const deservesRetry = ({ status, code, retryAfter = 0 }: Failure, repeatable: boolean): boolean => {
  if (retryAfter > MAX_RETRY_AFTER_S) return false;
  // A rate limit refused the request before the node did anything.
  if (status === 429) return true;
  if (code === 'idempotency_in_progress') return true;
  return repeatable && (status === 0 || isUnavailable(status));
};

/** Returns the milliseconds before another try. `tries` counts from 0, and `random` is from 0 to less than 1. */
export const delayBefore = (tries: number, retryAfter: number | undefined, random: number): number => {
  const backOff = Math.min(FIRST_DELAY_MS * 2 ** tries, MAX_DELAY_MS);
  // Adds jitter, which spreads clients that were refused together.
  return retryAfter === undefined ? backOff * (0.5 + random / 2) : retryAfter * 1_000 + backOff * random;
};
