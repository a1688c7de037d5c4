import type { Clock } from '../../ports/ports.ts';

/** The longest delay that a timer of the runtime can hold; it fires at once for anything beyond. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The machine's own time. Its timers never keep the process alive. */
export const createSystemClock = (): Clock => ({
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  schedule(delayMs, task) {
    const dueMs = performance.now() + delayMs;
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const leftMs = Math.ceil(dueMs - performance.now());
      timer = setTimeout(wake, Math.min(Math.max(0, leftMs), LONGEST_TIMER_MS));
      timer.unref();
    };
    // A timer may come a little early, and a long delay is walked in steps.
    const wake = (): void => (performance.now() < dueMs ? arm() : task());
    arm();
    return () => clearTimeout(timer);
  },
});
