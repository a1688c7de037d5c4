import type { Clock } from '../../ports/ports.ts';

/**
 * Returns a function that returns true at most once per interval of this many milliseconds. The first time is after one
 * interval.
 */
export const createThrottle = (clock: Pick<Clock, 'monotonicMs'>, intervalMs: number): (() => boolean) => {
  let nextMs = clock.monotonicMs() + intervalMs;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs < nextMs) return false;
    nextMs = nowMs + intervalMs;
    return true;
  };
};
