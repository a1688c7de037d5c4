import { DEFAULT_TENANT, type FactStore } from '../../ports/ports.ts';
import type { Logger } from '../log/logger.ts';
import { compareHlc, ZERO_HLC } from '../time/hybrid-logical-clock.ts';

/** The milliseconds by which the stored clock may be ahead of physical time before the operator is warned. */
const AHEAD_LIMIT_MS = 300_000;

/**
 * Raises the node's clock above every stamp of the store, at the start. A copied or truncated file may have lost its
 * newest stamps, which peers may have seen. Safe to repeat.
 */
export const raiseClock = async (store: FactStore, nowMs: number, log: Logger): Promise<void> => {
  const wallMs = await store.write(DEFAULT_TENANT, async (transaction) => {
    const clock = await transaction.lockClock();
    const head = (await transaction.head()) ?? ZERO_HLC;
    const newest = compareHlc(clock, head) < 0 ? head : clock;
    if (compareHlc(newest, ZERO_HLC) === 0) return 0;
    await transaction.saveClock({ wallMs: newest.wallMs + 1, counter: 0 });
    return newest.wallMs + 1;
  });
  if (wallMs - nowMs > AHEAD_LIMIT_MS) {
    log.warn(
      'clock_ahead: the stamps of this store are ahead of physical time; ' +
        'after a restore this passes within minutes, otherwise check the clock of this machine',
      { aheadMs: wallMs - nowMs },
    );
  }
};
