/**
 * The pauses in milliseconds after failed attempts. Together with the first attempt, which has no pause, there are six.
 */
const PAUSES_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000] as const;
const JITTER = 0.2;
/** The longest pause between two attempts. */
export const LONGEST_RETRY_AFTER_MS = 3_600_000;

export interface FailedAttempt {
  /** The number of attempts so far, this one included. */
  readonly attempts: number;
  /** The `Retry-After` header of the answer, as sent. */
  readonly retryAfter: string | undefined;
  /** A random fraction in [0, 1) that varies the pause. */
  readonly fraction: number;
  readonly nowMs: number;
  /** The end of the replay window of the event, in milliseconds since the epoch. */
  readonly endMs: number;
}

/**
 * Returns the milliseconds until the next attempt. Returns undefined after the last one; the event can still be
 * replayed.
 */
export const nextPause = (failed: FailedAttempt): number | undefined => {
  const planned = PAUSES_MS[failed.attempts - 1];
  if (planned === undefined) return undefined;
  const pause = Math.max(planned * (1 - JITTER + 2 * JITTER * failed.fraction), askedPause(failed));
  return failed.nowMs + pause < failed.endMs ? Math.round(pause) : undefined;
};

/** Returns the pause that the receiver requests, in seconds or as a date (RFC 9110, 10.2.3). Ignores other text. */
const askedPause = ({ retryAfter, nowMs }: FailedAttempt): number => {
  if (retryAfter === undefined) return 0;
  const pause = /^\d{1,9}$/.test(retryAfter) ? Number(retryAfter) * 1_000 : Date.parse(retryAfter) - nowMs;
  return Number.isNaN(pause) ? 0 : Math.min(Math.max(0, pause), LONGEST_RETRY_AFTER_MS);
};

/** The consequence of an HTTP status for its event. */
export type Verdict = 'delivered' | 'gone' | 'refused' | 'again';

const AGAIN: ReadonlySet<number> = new Set([408, 425, 429]);

/** Maps an HTTP status to its consequence. A redirect is not followed, and counts as a temporary failure. */
export const judgeStatus = (status: number): Verdict => {
  if (status >= 200 && status < 300) return 'delivered';
  if (status === 410) return 'gone';
  return status >= 400 && status < 500 && !AGAIN.has(status) ? 'refused' : 'again';
};
