import type { Clock } from '../../ports/ports.ts';
import type { Awaitable } from './awaitable.ts';

/**
 * Runs `work`; rejects with `late()` when it has not finished within the limit. The work itself cannot be interrupted.
 */
export const withinTime = async <T>(
  clock: Clock,
  limitMs: number,
  work: () => Awaitable<T>,
  late: () => Error,
): Promise<T> => {
  let cancel = (): void => {};
  const limit = new Promise<never>((_, reject) => {
    cancel = clock.schedule(limitMs, () => reject(late()));
  });
  try {
    return await Promise.race([work(), limit]);
  } finally {
    cancel();
  }
};
