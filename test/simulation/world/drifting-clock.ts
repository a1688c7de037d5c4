import type { Clock } from '../../../ports/ports.ts';
import type { VirtualTime } from './virtual-time.ts';

/** 2 March 2026, 09:00 UTC. */
export const START_MS = Date.UTC(2026, 2, 2, 9);

/**
 * The clock of one machine. It may be wrong, run fast or slow, stop, or jump, and it outlives the processes of the
 * machine.
 */
export interface DriftingClock {
  wallMs(): number;
  /** The latest time that it ever showed. */
  readonly highestMs: number;
  /** Moves only the wall clock. */
  jump(byMs: number): void;
  /** Sets the deviation of its speed, in parts per million; positive runs fast. */
  drift(ppm: number): void;
  freeze(): void;
  /** Resets the clock to true time and true speed. */
  correct(): void;
  /** Returns the clock for a process on the machine. `end` cancels the timers of the process. */
  forProcess(): { readonly clock: Clock; end(): void };
}

export const createDriftingClock = (time: VirtualTime): DriftingClock => {
  let sinceMs = time.nowMs;
  let wallMs = START_MS + sinceMs;
  let ppm = 0;
  let frozen = false;
  let highestMs = wallMs;
  const read = (): number => wallMs + (frozen ? 0 : (time.nowMs - sinceMs) * (1 + ppm / 1_000_000));
  const change = (to: () => void): void => {
    wallMs = read();
    sinceMs = time.nowMs;
    to();
  };
  const wall = (): number => {
    const shown = Math.floor(read());
    highestMs = Math.max(highestMs, shown);
    return shown;
  };
  return {
    wallMs: wall,
    get highestMs() {
      return highestMs;
    },
    jump: (byMs) =>
      change(() => {
        wallMs += byMs;
      }),
    drift: (parts) =>
      change(() => {
        ppm = parts;
      }),
    freeze: () =>
      change(() => {
        frozen = true;
      }),
    correct: () =>
      change(() => {
        wallMs = START_MS + time.nowMs;
        ppm = 0;
        frozen = false;
      }),
    forProcess: () => createProcessClock(time, wall),
  };
};

const createProcessClock = (time: VirtualTime, wallMs: () => number): { clock: Clock; end(): void } => {
  const cancels = new Set<() => void>();
  let ended = false;
  return {
    clock: {
      nowMs: wallMs,
      monotonicMs: () => time.nowMs,
      schedule(delayMs, task) {
        if (ended) return () => {};
        const cancel = time.after(delayMs, () => {
          cancels.delete(cancel);
          task();
        });
        cancels.add(cancel);
        return () => {
          cancels.delete(cancel);
          cancel();
        };
      },
    },
    end() {
      ended = true;
      for (const cancel of cancels) cancel();
      cancels.clear();
    },
  };
};
