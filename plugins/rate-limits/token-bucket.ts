/**
 * A bucket holds the tokens of one minute, so a quiet holder may send a minute's requests at once. It refills steadily,
 * and each request takes one token.
 */

const MINUTE_MS = 60_000;
/** A process takes a tenth of the remaining tokens, so that a nearly empty bucket is shared evenly. */
const SHARE_OF_TOKENS = 10;
/** But at least this part of a full bucket, because otherwise every request of a busy holder would write. */
const SHARE_OF_FULL = 50;

export interface Bucket {
  readonly tokens: number;
  /** Milliseconds since the epoch, by the store's clock. */
  readonly atMs: number;
}

/**
 * The present state of the bucket; a missing one is full. A clock that was set back adds and removes nothing, and one
 * that jumps ahead fills the bucket at most once.
 */
export const refilled = (bucket: Bucket | undefined, perMinute: number, nowMs: number): Bucket => {
  if (bucket === undefined) return { tokens: perMinute, atMs: nowMs };
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return { tokens: grown(bucket.tokens, perMinute, elapsedMs), atMs: nowMs };
};

/** Tokens after some time. */
export const grown = (tokens: number, perMinute: number, elapsedMs: number): number =>
  Math.min(perMinute, tokens + (elapsedMs * perMinute) / MINUTE_MS);

/** Milliseconds until the missing tokens are refilled. */
export const waitMs = (missing: number, perMinute: number): number => Math.max(0, (missing * MINUTE_MS) / perMinute);

/**
 * The tokens that a process takes from the bucket: those its requests need, and some for later ones. Whole tokens only.
 */
export const shareOf = (tokens: number, wanted: number, perMinute: number): number => {
  const usual = Math.ceil(Math.max(tokens / SHARE_OF_TOKENS, perMinute / SHARE_OF_FULL));
  return Math.max(0, Math.min(Math.floor(tokens), Math.max(wanted, usual)));
};

/** The requests that this many tokens can serve, in order. A request that needs too many does not block the others. */
export const spentOf = (wants: readonly number[], tokens: number): { total: number; refused: number } => {
  let total = 0;
  let refused = 0;
  for (const units of wants) {
    if (total + units <= tokens) total += units;
    else refused += 1;
  }
  return { total, refused };
};
