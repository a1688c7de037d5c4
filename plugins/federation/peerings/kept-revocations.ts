import type { Withdrawals } from '../../../kernel/internal-api.ts';
import type { Clock, PluginTables } from '../../../kernel/plugin-api.ts';
import { PEER_REVOKED } from '../federation-events.ts';
import type { FederationLog } from './federation-log.ts';
import type { StoredPeering } from './peer-row.ts';
import type { PeerStore } from './peer-store.ts';
import { revoked } from './peering-changes.ts';
import { peerEvent } from './peering-events.ts';

export interface KeptRevocationsParts {
  readonly store: PeerStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly federationLog: FederationLog;
}

type Floors = Pick<StoredPeering, 'theirFloorMs' | 'ourFloorMs'>;

/**
 * Revoked peerings, each with the instants of the declarations that the revocation removed. A peering that was declared
 * anew since has newer declarations, and stays.
 */
export const peeringRevocations = ({ store, tables, clock, federationLog }: KeptRevocationsParts): Withdrawals => ({
  async since(own) {
    return (await store.withStatus(own, ['revoked'])).map(
      ({ peerId, theirFloorMs, ourFloorMs }) => `${peerId}:${theirFloorMs ?? 0}:${ourFloorMs ?? 0}`,
    );
  },
  async repeat(journaled) {
    const removed = new Map<string, Floors>();
    for (const entry of journaled) {
      const [peerId = '', theirs, ours] = entry.split(':');
      // A line that a crash has cut must not outweigh the whole one that follows it.
      const floors = { theirFloorMs: Number(theirs) || 0, ourFloorMs: Number(ours) || 0 };
      removed.set(peerId, raised(removed.get(peerId) ?? floors, floors));
    }
    let count = 0;
    for (const [peerId, floors] of removed) {
      const peering = await store.read((own) => store.byIdAlone(own, peerId));
      if (peering === undefined || !isRemoved(peering, floors)) continue;
      await tables.writeUnlessErased(peering.tenantId, async (own, transaction) => {
        const before = await store.byId(own, peering.tenantId, peering.peerId);
        if (before === undefined || !isRemoved(before, floors)) return;
        const after = { ...revoked(before, clock.nowMs()), ...raised(before, floors) };
        await store.update(own, after);
        const detail = { by: 'node', reason: 'revoked before a restore' };
        await federationLog.record([peerEvent(PEER_REVOKED, after, detail)], transaction);
        count += 1;
      });
    }
    return count;
  },
});

/** Returns true if the peering still stands on a declaration that was removed. */
const isRemoved = ({ theirs, ours, theirFloorMs, ourFloorMs }: StoredPeering, floors: Floors): boolean =>
  (theirs !== null && (theirFloorMs ?? 0) <= (floors.theirFloorMs ?? 0)) ||
  (ours !== null && (ourFloorMs ?? 0) <= (floors.ourFloorMs ?? 0));

/** Returns the later instants, so that the removed declarations are refused when they are sent again. */
const raised = (one: Floors, other: Floors): Floors => ({
  theirFloorMs: laterOf(one.theirFloorMs, other.theirFloorMs),
  ourFloorMs: laterOf(one.ourFloorMs, other.ourFloorMs),
});

const laterOf = (one: number | null, other: number | null): number | null =>
  Math.max(one ?? 0, other ?? 0) === 0 ? null : Math.max(one ?? 0, other ?? 0);
