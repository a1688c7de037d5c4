import { othersGoFirst } from '../../../kernel/internal-api.ts';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** The length of a rest as a multiple of the work before it: the work takes at most a third of the time. */
const RESTS = 2;
/** The longest rest in milliseconds, because a process that was paused itself must not rest in proportion. */
const LONGEST_REST_MS = 500;

/**
 * Returns a function that long work calls between two steps, so that requests go first. The first step begins with this
 * call.
 */
export const restInProportion = (clock: Pick<Clock, 'monotonicMs' | 'schedule'>): (() => Promise<void>) => {
  let sinceMs = clock.monotonicMs();
  return async () => {
    const restMs = Math.min(LONGEST_REST_MS, RESTS * (clock.monotonicMs() - sinceMs));
    if (restMs > 0) await new Promise<void>((resolve) => void clock.schedule(restMs, resolve));
    else await othersGoFirst();
    sinceMs = clock.monotonicMs();
  };
};
