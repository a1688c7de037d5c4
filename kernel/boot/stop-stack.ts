import type { Logger } from '../log/logger.ts';
import type { Awaitable } from '../time/awaitable.ts';

/** The running parts of a node, which are closed in reverse order of their start. */
export interface StopStack {
  push(name: string, stop: () => Awaitable<void>): void;
  /** Closes everything, last first. Logs a failure and continues. Later calls wait for the first. */
  unwind(): Promise<void>;
}

export const createStopStack = (log: Logger): StopStack => {
  const entries: { name: string; stop: () => Awaitable<void> }[] = [];
  let unwinding: Promise<void> | undefined;
  const unwindAll = async (): Promise<void> => {
    for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
      try {
        await entry.stop();
      } catch (error) {
        log.error('a part of the node failed to stop', { part: entry.name, error });
      }
    }
  };
  return {
    push: (name, stop) => {
      entries.push({ name, stop });
    },
    unwind: () => {
      unwinding ??= unwindAll();
      return unwinding;
    },
  };
};
