import { settle } from './settle.ts';

/** The virtual time of one simulation. It stops while any work runs, and then jumps to the next due task. */
export interface VirtualTime {
  /** Milliseconds since the simulation began, in whole microseconds, so that sums stay exact. */
  readonly nowMs: number;
  /**
   * Runs `task` after `delayMs`; tasks due at the same time run in the order of these calls. Returns a function that
   * cancels the task.
   */
  after(delayMs: number, task: () => void): () => void;
  /** Advances time by `ms`, runs all due tasks, and waits after each until the process is idle. */
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
