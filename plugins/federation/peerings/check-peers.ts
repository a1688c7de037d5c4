import type { Clock, Leases } from '../../../kernel/plugin-api.ts';
import type { StoredPeering } from './peer-row.ts';
import type { PeerStore } from './peer-store.ts';

export interface PeerCheckParts {
  readonly store: PeerStore;
  readonly leases: Leases;
  readonly clock: Clock;
  /** Verifies a declaration that is not verified yet, or follows the key rotation of an active peer. */
  check(peering: StoredPeering): Promise<void>;
}

export const CHECK_INTERVAL_MS = 60_000;
const WAITS_MS = 86_400_000;
const KEYS_REFRESHED_MS = 3_600_000;
/** The number of peers checked at once. A peer that does not reply occupies a slot for ten seconds. */
const AT_ONCE = 8;

/** Checks all peers every minute, in one of the processes that share the store. */
export const createPeerChecks = ({ store, leases, clock, check }: PeerCheckParts): (() => Promise<void>) => {
  const lease = leases.hold('federation peers');
  return async () => {
    await lease.whileHeld(async () => {
      const nowMs = clock.nowMs();
      const found = await store.read((own) => store.withStatus(own, ['pending_verification', 'active']));
      const due = found.filter((peering) => isDue(peering, nowMs));
      const failures: unknown[] = [];
      const lanes = Array.from({ length: AT_ONCE }, async () => {
        for (let next = due.shift(); next !== undefined; next = due.shift()) {
          await check(next).catch((error: unknown) => failures.push(error));
        }
      });
      await Promise.all(lanes);
      if (failures.length > 0) throw failures[0];
    });
  };
};

const isDue = ({ waiting, waitingSinceMs, checkedMs, status }: StoredPeering, nowMs: number): boolean => {
  if (waiting !== null) return nowMs - (waitingSinceMs ?? 0) <= WAITS_MS;
  // A check time in the future was stored while the clock was ahead.
  return status === 'active' && Math.abs(nowMs - (checkedMs ?? 0)) >= KEYS_REFRESHED_MS;
};
