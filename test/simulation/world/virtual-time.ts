import { settle } from './settle.ts';

/** The time of one simulation. It stands still while anything works, and then jumps to the next due task. */
export interface VirtualTime {
  /** Milliseconds since the simulation began. Whole microseconds, so that sums do not drift apart. */
  readonly nowMs: number;
  /** Runs `task` in `delayMs`; tasks of one moment run in the order in which they came. The function cancels it. */
  after(delayMs: number, task: () => void): () => void;
  /** Runs everything that becomes due within `ms`, lets each task come to rest before the next one, and ends there. */
  pass(ms: number): Promise<void>;
}

interface Task {
  readonly dueMs: number;
  readonly run: () => void;
}

export const createVirtualTime = (afterTask: () => Promise<void> = async () => {}): VirtualTime => {
  const tasks = new Set<Task>();
  let nowMs = 0;
  const next = (untilMs: number): Task | undefined => {
    let found: Task | undefined;
    for (const task of tasks) {
      if (task.dueMs > untilMs) continue;
      if (found === undefined || task.dueMs < found.dueMs) found = task;
    }
    return found;
  };
  return {
    get nowMs() {
      return nowMs;
    },
    after(delayMs, run) {
      const task = { dueMs: nowMs + Math.max(0, Math.round(delayMs * 1_000) / 1_000), run };
      tasks.add(task);
      return () => {
        tasks.delete(task);
      };
    },
    async pass(ms) {
      const untilMs = nowMs + ms;
      for (let task = next(untilMs); task !== undefined; task = next(untilMs)) {
        tasks.delete(task);
        nowMs = Math.max(nowMs, task.dueMs);
        task.run();
        await settle();
        await afterTask();
      }
      nowMs = untilMs;
    },
  };
};
