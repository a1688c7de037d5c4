import type { Principal } from '../../../kernel/plugin-api.ts';
import { declarationOf, type ReadDeclaration, urlOfNodeId } from './declaration.ts';
import type { StoredPeering } from './peer-row.ts';
import { type Declaration, inboundScopes, mayEndOthers, mayLeave, outboundScopes, type PeerKey } from './peering.ts';

/** Pure functions that change the state of a peering, without the store. */

/** Creates a peering before anything is declared. */
export const newPeering = (
  { tenantId }: Pick<Principal, 'tenantId'>,
  { peerId, nodeId, nowMs }: { readonly peerId: string; readonly nodeId: string; readonly nowMs: number },
): StoredPeering => ({
  tenantId,
  peerId,
  nodeId,
  nodeUrl: urlOfNodeId(nodeId) ?? '',
  status: 'pending_verification',
  theirs: null,
  ours: null,
  keys: [],
  grantVersion: 0,
  verifiedMs: null,
  establishedMs: null,
  createdMs: nowMs,
  unicodeVersion: null,
  waiting: null,
  waitingSinceMs: null,
  theirDocument: null,
  ourDocument: null,
  theirFloorMs: null,
  ourFloorMs: null,
  checkedMs: null,
  takesAnyKey: true,
});

/** Applies a verified declaration of the peer, which immediately replaces the former one. */
export const withTheirs = (
  before: StoredPeering,
  declaration: Pick<ReadDeclaration, 'document'>,
  {
    nodeUrl,
    keys,
    unicodeVersion = before.unicodeVersion,
    nowMs,
  }: {
    readonly nodeUrl: string;
    readonly keys: readonly PeerKey[];
    readonly unicodeVersion?: string | null | undefined;
    readonly nowMs: number;
  },
): StoredPeering => {
  const theirs = declarationOf(declaration.document);
  return settled(
    before,
    {
      ...before,
      nodeUrl,
      keys,
      unicodeVersion,
      theirs,
      theirDocument: declaration.document,
      theirFloorMs: theirs.signedMs,
      waiting: null,
      waitingSinceMs: null,
      verifiedMs: nowMs,
      checkedMs: nowMs,
      takesAnyKey: false,
      status: 'pending_verification',
    },
    nowMs,
  );
};

/** Stores a declaration of the peer until its metadata can be read. */
export const withWaiting = (
  before: StoredPeering,
  declaration: Pick<ReadDeclaration, 'document'>,
  { nodeUrl, nowMs }: { readonly nodeUrl: string; readonly nowMs: number },
): StoredPeering =>
  settled(
    before,
    {
      ...before,
      nodeUrl,
      waiting: declaration.document,
      waitingSinceMs: nowMs,
      checkedMs: nowMs,
      status: 'pending_verification',
    },
    nowMs,
  );

/** Applies a declaration of this node. A peer that failed verification stays rejected. */
export const withOurs = (
  before: StoredPeering,
  declaration: Pick<ReadDeclaration, 'document'>,
  { nodeUrl, nowMs }: { readonly nodeUrl?: string | undefined; readonly nowMs: number },
): StoredPeering => {
  const ours = declarationOf(declaration.document);
  return settled(
    before,
    {
      ...before,
      // A verified address of the peer takes precedence over the one that the operator typed.
      nodeUrl: before.takesAnyKey ? (nodeUrl ?? before.nodeUrl) : before.nodeUrl,
      ours,
      ourDocument: declaration.document,
      ourFloorMs: ours.signedMs,
      status: before.status === 'rejected' ? 'rejected' : 'pending_verification',
    },
    nowMs,
  );
};

/** Applies newer metadata of a peer: keys that its former key has signed, and its version of Unicode. */
export const withMetadata = (
  before: StoredPeering,
  { keys, unicodeVersion }: Pick<StoredPeering, 'keys' | 'unicodeVersion'>,
  nowMs: number,
): StoredPeering => ({
  ...before,
  keys,
  unicodeVersion,
  checkedMs: nowMs,
});

/**
 * Rejects a peer whose identity has changed, or differs from its claim. Its next declaration must be verified again.
 */
export const rejected = (before: StoredPeering, nowMs: number): StoredPeering =>
  settled(before, { ...before, ...FORGOTTEN_THEIRS, status: 'rejected', checkedMs: nowMs }, nowMs);

/** Revokes a peering. Both sides must declare again, with newer declarations than the ones that this removes. */
export const revoked = (before: StoredPeering, nowMs: number): StoredPeering =>
  settled(
    before,
    { ...before, ...FORGOTTEN_THEIRS, ours: null, ourDocument: null, takesAnyKey: true, status: 'revoked' },
    nowMs,
  );

const FORGOTTEN_THEIRS = {
  theirs: null,
  theirDocument: null,
  waiting: null,
  waitingSinceMs: null,
  verifiedMs: null,
} as const;

/** Computes whether the changed peering is active, and whether its grant has changed. */
const settled = (before: StoredPeering, after: StoredPeering, nowMs: number): StoredPeering => {
  const isActive = after.status === 'pending_verification' && after.theirs !== null && after.ours !== null;
  const status = isActive ? 'active' : after.status;
  const next: StoredPeering = {
    ...after,
    status,
    establishedMs: isActive ? (after.establishedMs ?? nowMs) : after.establishedMs,
  };
  return grantOf(before) === grantOf(next) ? next : { ...next, grantVersion: before.grantVersion + 1 };
};

const grantOf = (peering: StoredPeering): string =>
  JSON.stringify([[...outboundScopes(peering)], [...inboundScopes(peering)], mayEndOthers(peering)]);

/**
 * Returns the scopes that both sides declare and that may leave a node. If only one side has declared, returns its
 * scopes.
 */
export const namedScopes = ({
  theirs,
  ours,
}: {
  readonly theirs: Declaration | null;
  readonly ours: Declaration | null;
}) => {
  const [one, other] = theirs === null ? [ours, null] : [theirs, ours];
  if (one === null) return [];
  return one.scopes.filter((scope) => mayLeave(scope) && (other === null || other.scopes.includes(scope)));
};
