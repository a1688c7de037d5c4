import type { Clock } from '../../ports/ports.ts';

/**
 * Returns a throttle: a function that returns true at most once in so many milliseconds, the first time after the
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
