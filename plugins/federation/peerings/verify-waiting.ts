import type { Clock, NodeSelf, PluginTables } from '../../../kernel/plugin-api.ts';
import { PEER_APPROVAL_FAILED } from '../federation-events.ts';
import { readDeclaration } from './declaration.ts';
import type { FederationLog } from './federation-log.ts';
import type { StoredPeering } from './peer-row.ts';
import type { PeerStore } from './peer-store.ts';
import { rejected, withTheirs } from './peering-changes.ts';
import { approvalOf, peerEvent } from './peering-events.ts';
import type { PeerReader } from './verify-peer.ts';

export interface VerifyWaitingParts {
  readonly store: PeerStore;
  readonly tables: PluginTables;
  readonly reader: PeerReader;
  readonly federationLog: FederationLog;
  readonly clock: Clock;
  readonly self: NodeSelf;
}

/** Retries the verification of a declaration whose node could not be reached earlier. */
export const verifyWaiting = async (
  { tenantId, peerId, nodeUrl, waiting, waitingSinceMs }: StoredPeering,
  { store, tables, reader, federationLog, clock, self }: VerifyWaitingParts,
): Promise<void> => {
  if (waiting === null) return;
  // Checks its age at the time of arrival, because the declaration has been stored here since.
  const declaration = readDeclaration(waiting, { selfId: self.nodeId, nowMs: waitingSinceMs ?? clock.nowMs() });
  const verification = await reader.verify(declaration, nodeUrl, []);
  await tables.writeUnlessErased(tenantId, async (own, transaction) => {
    const before = await store.byId(own, tenantId, peerId);
    const isSame = before?.waitingSinceMs === waitingSinceMs && before.nodeUrl === nodeUrl;
    if (before === undefined || before.waiting === null || !isSame) return;
    const nowMs = clock.nowMs();
    if (verification.kind === 'verified') {
      const after = withTheirs(before, declaration, { ...verification, nodeUrl, nowMs });
      await store.update(own, after);
      await federationLog.record(approvalOf(before, after, self.names.systemSource), transaction);
    } else if (verification.kind === 'mismatch') {
      const after = rejected(before, nowMs);
      await store.update(own, after);
      await federationLog.record([peerEvent(PEER_APPROVAL_FAILED, after, { reason: verification.why })], transaction);
    } else {
      await store.checked(own, before, nowMs);
    }
  });
};
