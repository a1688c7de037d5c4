import { compareHlc, ZERO_HLC } from '../kernel/facts/hybrid-logical-clock.ts';
import { DEFAULT_TENANT, type FactStore, type Hlc } from '../ports/ports.ts';

/** How far a stamp may be ahead of physical time where nothing else was set. */
export const DEFAULT_DRIFT_BOUND_MS = 300_000;

export interface RestoreOptions {
  readonly nowMs: number;
  /** How far stamps may have been ahead of physical time when the ones that are lost were given. */
  readonly driftBoundMs: number;
  /** Not used before. */
  readonly epoch: string;
}

export interface RestoreMark {
  /** What the clock was raised from and to, milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Tells a store that its past was cut: what was written after the backup is gone, and others may have seen it. A new
 * epoch makes them start over, and the clock is raised to twice the bound ahead of now, above every stamp that may have
 * been given, in one transaction. Doing it again, with the same backup or without one, does no harm.
 */
export const markRestored = (store: FactStore, options: RestoreOptions): Promise<RestoreMark> =>
  store.write(DEFAULT_TENANT, async (transaction) => {
    const newest = later(await transaction.lockClock(), (await transaction.head()) ?? ZERO_HLC);
    const { nowMs, driftBoundMs } = options;
    // Lost stamps were no further ahead of their own time than the bound, or twice as far after another restoring; and
    // they were given before now.
    const toMs = Math.max(newest.wallMs + 1, nowMs + 2 * driftBoundMs);
    await transaction.saveClock({ wallMs: toMs, counter: 0 }, options.epoch);
    // Of processes that ran when the backup was made: their work must not wait until these leases would end.
    await transaction.table('leases').update({ until_ms: 0 });
    return { fromMs: newest.wallMs, toMs };
  });

const later = (one: Hlc, other: Hlc): Hlc => (compareHlc(one, other) < 0 ? other : one);
