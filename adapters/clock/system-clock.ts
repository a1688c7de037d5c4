import type { Clock } from '../../ports/ports.ts';

/** The longest delay of a timer in the JavaScript runtime. A timer with a longer delay would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The clock of the operating system. Its timers do not keep the process alive. */
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
    // Sets another timer when this one fired early, or when a long delay needs several steps.
    const wake = (): void => (performance.now() < dueMs ? arm() : task());
    arm();
    return () => clearTimeout(timer);
  },
});
