import { othersGoFirst } from '../../../kernel/internal-api.ts';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** The pause after a step, as a multiple of its duration. So the work takes at most a third of the time. */
const RESTS = 2;
/** The maximum pause in milliseconds. Without it, a process that was suspended would pause for twice that time. */
const LONGEST_REST_MS = 500;

/**
 * Returns a pause for long work, which calls it between two steps so that requests run first. The first step starts
 * with this call.
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
