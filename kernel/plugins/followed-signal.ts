import type { Clock } from '../../ports/ports.ts';
import type { Awaitable } from '../time/awaitable.ts';

/** The pause before a listener is called again, after its first failure in a row. It doubles with each further one. */
export const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 60_000;

export interface FollowedSignal {
  /** Calls the listener. Resolves when it has succeeded or failed; never rejects. */
  hear(): Promise<void>;
  /** Prevents further attempts. */
  end(): void;
}

/** Repeats a listener that failed, because no other signal may tell it of the change. */
export const followSignal = (
  clock: Clock,
  listener: () => Awaitable<void>,
  failed: (error: unknown) => void,
): FollowedSignal => {
  let hasEnded = false;
  let pauseMs = FIRST_RETRY_MS;
  let cancel = (): void => {};
  const hear = async (): Promise<void> => {
    cancel();
    try {
      await listener();
      pauseMs = FIRST_RETRY_MS;
    } catch (error) {
      failed(error);
      cancel();
      if (hasEnded) return;
      cancel = clock.schedule(pauseMs, () => void hear());
      pauseMs = Math.min(2 * pauseMs, LONGEST_RETRY_MS);
    }
  };
  return {
    hear,
    end: () => {
      hasEnded = true;
      cancel();
    },
  };
};
