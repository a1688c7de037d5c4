/**
 * A token bucket contains at most the tokens of one minute, so an idle holder may send the requests of a minute at
 * once. It refills steadily, and each request takes one token.
 */

const MINUTE_MS = 60_000;
/**
 * The divisor of the remaining tokens that a process takes: a tenth, so that a nearly empty bucket is shared evenly.
 */
const SHARE_OF_TOKENS = 10;
/**
 * The divisor of a full bucket's tokens that a process takes at least. Otherwise every request of a busy holder would
 * write to the store.
 */
const SHARE_OF_FULL = 50;

export interface Bucket {
  readonly tokens: number;
  /** The time of `tokens`, in milliseconds since the epoch, by the store's clock. */
  readonly atMs: number;
}

/**
 * Returns the present state of the bucket; a missing one is full. If the clock was set back, the tokens do not change.
 * If it jumped ahead, the bucket is full at most.
 */
export const refilled = (bucket: Bucket | undefined, perMinute: number, nowMs: number): Bucket => {
  if (bucket === undefined) return { tokens: perMinute, atMs: nowMs };
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return { tokens: grown(bucket.tokens, perMinute, elapsedMs), atMs: nowMs };
};

/** Returns the number of tokens after some time. */
export const grown = (tokens: number, perMinute: number, elapsedMs: number): number =>
  Math.min(perMinute, tokens + (elapsedMs * perMinute) / MINUTE_MS);

/** Returns the milliseconds until the missing tokens are refilled. */
export const waitMs = (missing: number, perMinute: number): number => Math.max(0, (missing * MINUTE_MS) / perMinute);

/**
 * Returns the number of tokens that a process takes from the bucket: those its requests need, and some for later ones.
 * It is a whole number.
 */
export const shareOf = (tokens: number, wanted: number, perMinute: number): number => {
  const usual = Math.ceil(Math.max(tokens / SHARE_OF_TOKENS, perMinute / SHARE_OF_FULL));
  return Math.max(0, Math.min(Math.floor(tokens), Math.max(wanted, usual)));
};

/**
 * Returns the tokens spent on the requests that this many tokens can serve, in order. A request that needs too many
 * does not block the others.
 */
export const spentOf = (wants: readonly number[], tokens: number): { total: number; refused: number } => {
  let total = 0;
  let refused = 0;
  for (const units of wants) {
    if (total + units <= tokens) total += units;
    else refused += 1;
  }
  return { total, refused };
};
