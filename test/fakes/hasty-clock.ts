import { createManualClock, type ManualClock } from './manual-clock.ts';

/** Creates a manual clock that advances whenever the monotonic time is read, so that fast work appears slow. */
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
