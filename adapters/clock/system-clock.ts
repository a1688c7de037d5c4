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
      const leftMs = dueMs - performance.now();
      // Long delays are walked in steps, each as long as a timer can be.
      timer = leftMs > LONGEST_TIMER_MS ? setTimeout(arm, LONGEST_TIMER_MS) : setTimeout(task, Math.max(0, leftMs));
      timer.unref();
    };
    arm();
    return () => clearTimeout(timer);
  },
});
