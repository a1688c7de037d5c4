import type { Clock } from '../../ports/ports.ts';

/** A clock that advances only when a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Advances both clocks and runs due tasks in order, each at its due time. Between tasks, started work gets some turns
   * of the event loop. In a long advance, tasks may run some seconds late, and in one of days some minutes.
   */
  advance(ms: number): Promise<void>;
  /** Sets only the wall clock, forward or backward, as an operator or a time server would. */
  setNowMs(nowMs: number): void;
  /** The number of scheduled tasks. */
  readonly pending: number;
}

/** 2 March 2026, 09:00 UTC. */
const START_MS = Date.UTC(2026, 2, 2, 9);
const TURNS_AFTER_TASK = 3;
const LONG_MOVE_MS = 60_000;
/** The step of a long advance. A lease is renewed every ten seconds, and lasts thirty. */
const COARSE_STEP_MS = 10_000;
/** The most steps of an advance, because each of them may run every periodic task of the nodes. */
const MOST_STEPS = 300;

export const createManualClock = (startMs: number = START_MS): ManualClock => {
  const tasks = new Set<{ readonly dueMs: number; readonly run: () => void }>();
  let monotonicMs = 0;
  let wallOffsetMs = startMs;
  const nextDue = (untilMs: number) =>
    [...tasks].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0];
  return {
    nowMs: () => monotonicMs + wallOffsetMs,
    monotonicMs: () => monotonicMs,
    schedule(delayMs, run) {
      const task = { dueMs: monotonicMs + delayMs, run };
      tasks.add(task);
      return () => {
        tasks.delete(task);
      };
    },
    async advance(ms) {
      const untilMs = monotonicMs + ms;
      const isLong = ms >= LONG_MOVE_MS;
      const stepMs = Math.max(COARSE_STEP_MS, Math.ceil(ms / MOST_STEPS));
      const timeOf = (dueMs: number): number =>
        isLong ? Math.min(untilMs, Math.ceil(dueMs / stepMs) * stepMs) : dueMs;
      for (let task = nextDue(untilMs); task !== undefined; task = nextDue(untilMs)) {
        tasks.delete(task);
        monotonicMs = Math.max(monotonicMs, timeOf(task.dueMs));
        task.run();
        for (let turn = 0; turn < TURNS_AFTER_TASK; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      monotonicMs = untilMs;
    },
    setNowMs(nowMs) {
      wallOffsetMs = nowMs - monotonicMs;
    },
    get pending() {
      return tasks.size;
    },
  };
};
