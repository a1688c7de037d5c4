import type { Clock } from '../../../kernel/plugin-api.ts';

/** Resolves after `ms`. Rejects at once when the signal aborts. */
export const pause = (ms: number, clock: Clock, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      cancel();
      reject(signal.reason as Error);
    };
    const cancel = clock.schedule(ms, () => {
      signal.removeEventListener('abort', end);
      resolve();
    });
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
