import type { Clock } from '../../ports/ports.ts';
import type { Awaitable } from './awaitable.ts';

export interface RepeatedTask {
  readonly intervalMs: number;
  run(): Awaitable<void>;
  /** Called after every failed run; the next run takes place anyway. */
  failed(error: unknown): void;
}

/**
 * Repeats a task, one interval after the last run has ended. The returned function ends it and waits for a run under
 * way.
 */
export const repeatTask = (clock: Clock, task: RepeatedTask): (() => Promise<void>) => {
  let running: Promise<void> = Promise.resolve();
  let ended = false;
  let cancel = (): void => {};
  const run = async (): Promise<void> => {
    try {
      await task.run();
    } catch (error) {
      task.failed(error);
    }
    arm();
  };
  const arm = (): void => {
    if (ended) return;
    cancel = clock.schedule(task.intervalMs, () => {
      running = run();
    });
  };
  arm();
  return () => {
    ended = true;
    cancel();
    return running;
  };
};
