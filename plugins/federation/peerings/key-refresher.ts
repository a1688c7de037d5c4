import { UNICODE_VERSION } from '../../../kernel/internal-api.ts';
import type { Clock, Logger, PluginTables } from '../../../kernel/plugin-api.ts';
import { PEER_APPROVAL_FAILED } from '../federation-events.ts';
import type { FederationLog } from './federation-log.ts';
import { followKeys } from './follow-keys.ts';
import type { StoredPeering } from './peer-row.ts';
import type { PeerStore } from './peer-store.ts';
import type { Peering } from './peering.ts';
import { rejected, withMetadata } from './peering-changes.ts';
import { peerEvent } from './peering-events.ts';
import type { PeerReader } from './verify-peer.ts';

export interface KeyRefresherParts {
  readonly store: PeerStore;
  readonly tables: PluginTables;
  readonly reader: PeerReader;
  readonly federationLog: FederationLog;
  readonly clock: Clock;
  readonly log: Logger;
}

const UNKNOWN_KEY = 'the pinned key does not vouch for the key in the metadata';

/** Reads the metadata of peers again, and follows their key rotations. */
export class KeyRefresher {
  readonly #parts: KeyRefresherParts;

  constructor(parts: KeyRefresherParts) {
    this.#parts = parts;
  }

  /** Refreshes the keys of a peer. Returns the updated peering; unchanged if the peer does not reply. */
  async refresh(peering: Peering): Promise<Peering> {
    const { store, tables, reader, clock } = this.#parts;
    const { tenantId, peerId } = peering;
    const reading = await reader.read(peering.nodeUrl);
    return tables.write(tenantId, async (own, transaction) => {
      const stored = await store.byId(own, tenantId, peerId);
      if (stored === undefined || stored.keys.length === 0) return stored ?? peering;
      const nowMs = clock.nowMs();
      if (reading.kind !== 'read' || stored.nodeUrl !== peering.nodeUrl || stored.status !== 'active') {
        await store.checked(own, stored, nowMs);
        return stored;
      }
      const { identity } = reading;
      const keys = identity.nodeId === stored.nodeId ? followKeys(stored.keys, identity, nowMs) : undefined;
      if (keys === undefined) {
        const after = rejected(stored, nowMs);
        await store.update(own, after);
        await this.#parts.federationLog.record(
          [peerEvent(PEER_APPROVAL_FAILED, stored, { reason: UNKNOWN_KEY })],
          transaction,
        );
        this.#warn(stored);
        return after;
      }
      const { unicodeVersion } = identity;
      this.#compareNames(stored, unicodeVersion);
      if (sameKeys(keys, stored.keys) && unicodeVersion === stored.unicodeVersion) {
        await store.checked(own, stored, nowMs);
        return { ...stored, checkedMs: nowMs };
      }
      const after = withMetadata(stored, { keys, unicodeVersion }, nowMs);
      await store.update(own, after);
      return after;
    });
  }

  /**
   * Logs a peer with another version of Unicode. Facts are still exchanged, because the versions differ only for names
   * with newly added characters.
   */
  #compareNames({ peerId, nodeId }: StoredPeering, unicodeVersion: string | null): void {
    if (unicodeVersion === null || unicodeVersion === UNICODE_VERSION) return;
    this.#parts.log.warn('a peer compares names by another version of Unicode: bring both nodes to one version', {
      peerId,
      nodeId,
      unicodeVersion,
      ownVersion: UNICODE_VERSION,
    });
  }

  #warn({ peerId, nodeId, nodeUrl }: StoredPeering): void {
    this.#parts.log.warn(
      'a peer signs by another key, and the key that was pinned does not vouch for it: nothing is exchanged with it. ' +
        'Ask its operator; when the new key is right, run "fact-memory-node peer revoke" and exchange declarations anew',
      { peerId, nodeId, nodeUrl },
    );
  }
}

const sameKeys = (one: StoredPeering['keys'], other: StoredPeering['keys']): boolean =>
  JSON.stringify(one.map(({ keyId, validUntilMs }) => [keyId, validUntilMs])) ===
  JSON.stringify(other.map(({ keyId, validUntilMs }) => [keyId, validUntilMs]));
