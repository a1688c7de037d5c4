import { createManualClock, type ManualClock } from './manual-clock.ts';

/** A manual clock on which each look at the monotonic time takes so long: work seems slow without being slow. */
export const createHastyClock = (msPerLook: number): ManualClock => {
  const clock = createManualClock();
  let lookedMs = 0;
  return {
    nowMs: clock.nowMs,
    monotonicMs: () => {
      lookedMs += msPerLook;
      return clock.monotonicMs() + lookedMs;
    },
    schedule: clock.schedule,
    advance: clock.advance,
    setNowMs: clock.setNowMs,
    get pending() {
      return clock.pending;
    },
  };
};
