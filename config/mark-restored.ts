import { compareHlc, ZERO_HLC } from '../kernel/time/hybrid-logical-clock.ts';
import { DEFAULT_TENANT, type FactStore, type Hlc } from '../ports/ports.ts';

/** The default for the milliseconds by which a stamp may be ahead of physical time. */
export const DEFAULT_DRIFT_BOUND_MS = 300_000;

export interface RestoreOptions {
  readonly nowMs: number;
  /** The milliseconds by which lost stamps may have been ahead of physical time. */
  readonly driftBoundMs: number;
  /** The id of the new epoch. */
  readonly epoch: string;
}

export interface RestoreMark {
  /** The clock before and after, in milliseconds since the epoch. */
  readonly fromMs: number;
  readonly toMs: number;
}

/**
 * Marks a store whose history was cut: later writes than the backup are lost, and other nodes may have seen them. A new
 * epoch makes those start over. In the same transaction the clock is raised to the bound ahead of now, above every
 * stamp that may have been given. Repeating it, with the same backup or without one, does no harm.
 */
export const markRestored = (store: FactStore, options: RestoreOptions): Promise<RestoreMark> =>
  store.write(DEFAULT_TENANT, async (transaction) => {
    const newest = later(await transaction.lockClock(), (await transaction.head()) ?? ZERO_HLC);
    const { nowMs, driftBoundMs } = options;
    // Lost stamps were given before now, and each was at most the bound ahead of its own time, also after another
    // restore. Not a second more, because peers refuse stamps beyond the same bound until their time has come.
    const toMs = Math.max(newest.wallMs + 1, nowMs + driftBoundMs);
    await transaction.saveClock({ wallMs: toMs, counter: 0 }, options.epoch);
    // Ends all leases from the time of the backup, because their work must not wait until they expire.
    await transaction.table('leases').update({ until_ms: 0 });
    return { fromMs: newest.wallMs, toMs };
  });

const later = (one: Hlc, other: Hlc): Hlc => (compareHlc(one, other) < 0 ? other : one);
