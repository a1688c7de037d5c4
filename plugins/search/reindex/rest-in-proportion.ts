import { othersGoFirst } from '../../../kernel/internal-api.ts';
import type { Clock } from '../../../kernel/plugin-api.ts';

/** Each rest is so many times as long as the work before it: the work takes a third of the time at most. */
const RESTS = 2;
/** A process that was paused itself must not rest for as many times as long. */
const LONGEST_REST_MS = 500;

/** Long work calls it between two steps, so that requests go first. The first step begins with this call. */
export const restInProportion = (clock: Pick<Clock, 'monotonicMs' | 'schedule'>): (() => Promise<void>) => {
  let sinceMs = clock.monotonicMs();
  return async () => {
    const restMs = Math.min(LONGEST_REST_MS, RESTS * (clock.monotonicMs() - sinceMs));
    if (restMs > 0) await new Promise<void>((resolve) => void clock.schedule(restMs, resolve));
    else await othersGoFirst();
    sinceMs = clock.monotonicMs();
  };
};
