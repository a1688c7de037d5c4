/*
 * A bucket holds as many tokens as a minute brings, so that a holder who was quiet may send all of a minute at once. It
 * fills steadily, and each request takes one.
 */

const MINUTE_MS = 60_000;
/** A process takes a tenth of what a bucket holds, so that a nearly empty one is shared evenly. */
const SHARE_OF_TOKENS = 10;
/** But no less than this part of a full one: otherwise every request of a busy holder would write. */
const SHARE_OF_FULL = 50;

export interface Bucket {
  readonly tokens: number;
  /** Milliseconds since the epoch, by the time of the store. */
  readonly atMs: number;
}

/**
 * The bucket as it is now; without one it is full. A clock that was put back brings nothing and takes nothing: the
 * bucket goes on from there. One that jumps ahead fills it once at most.
 */
export const refilled = (bucket: Bucket | undefined, perMinute: number, nowMs: number): Bucket => {
  if (bucket === undefined) return { tokens: perMinute, atMs: nowMs };
  const elapsedMs = Math.max(0, nowMs - bucket.atMs);
  return { tokens: grown(bucket.tokens, perMinute, elapsedMs), atMs: nowMs };
};

/** Tokens after some time. */
export const grown = (tokens: number, perMinute: number, elapsedMs: number): number =>
  Math.min(perMinute, tokens + (elapsedMs * perMinute) / MINUTE_MS);

/** Milliseconds until so many tokens are there that are missing now. */
export const waitMs = (missing: number, perMinute: number): number => Math.max(0, (missing * MINUTE_MS) / perMinute);

/**
 * How many tokens a process takes out of the bucket, to spend them without asking again: what its requests want, and
 * some more for those that follow. Whole tokens only.
 */
export const shareOf = (tokens: number, wanted: number, perMinute: number): number => {
  const usual = Math.ceil(Math.max(tokens / SHARE_OF_TOKENS, perMinute / SHARE_OF_FULL));
  return Math.max(0, Math.min(Math.floor(tokens), Math.max(wanted, usual)));
};

/** Which requests so many tokens are enough for, each in its turn; one that needs too many does not stop the others. */
export const spentOf = (wants: readonly number[], tokens: number): { total: number; refused: number } => {
  let total = 0;
  let refused = 0;
  for (const units of wants) {
    if (total + units <= tokens) total += units;
    else refused += 1;
  }
  return { total, refused };
};
