import type { Scope } from '../../../kernel/plugin-api.ts';

export const PEER_STATUSES = ['pending_verification', 'active', 'rejected', 'revoked'] as const;
export type PeerStatus = (typeof PEER_STATUSES)[number];

/** `outbound`: the declaring node shares facts. `inbound`: it receives facts. */
export const DIRECTIONS = ['bidirectional', 'outbound', 'inbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A verified declaration of one node to another. */
export interface Declaration {
  readonly scopes: readonly Scope[];
  readonly direction: Direction;
  /** Whether the declaring node lets the other node end facts of third parties; null for the default. */
  readonly mayEndOthers: boolean | null;
  /** The time of signing, RFC 3339, exactly as sent. */
  readonly signedAt: string;
  readonly signedMs: number;
}

/** A present or former signing key of the peer. */
export interface PeerKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** The raw Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The instant from which the key signs no more tokens; earlier signatures stay valid. Null for the current key. */
  readonly validUntilMs: number | null;
}

/** The relation between this node and another one, as both have declared it. It belongs to one tenant. */
export interface Peering {
  readonly tenantId: string;
  readonly peerId: string;
  /** The id of the other node. */
  readonly nodeId: string;
  /** The base address of the other node, without a final slash. */
  readonly nodeUrl: string;
  readonly status: PeerStatus;
  /** The other node's declaration; null until it is posted here. */
  readonly theirs: Declaration | null;
  readonly ours: Declaration | null;
  /** The key pinned on verification and its successors, the current one first. Empty before verification. */
  readonly keys: readonly PeerKey[];
  /** The version of the grant; it grows with each change. */
  readonly grantVersion: number;
  readonly verifiedMs: number | null;
  /** The instant at which the peering first became active; null before that. */
  readonly establishedMs: number | null;
  readonly createdMs: number;
  /** The version of Unicode by which the other node compares names, from its metadata; null while unknown. */
  readonly unicodeVersion: string | null;
}

/** Returns the scopes of this node's facts that the peer may read. Empty unless the peering is active. */
export const outboundScopes = (peering: Peering): ReadonlySet<Scope> =>
  grantedScopes(peering, peering.ours, peering.theirs);

/** Returns the scopes of the peer's facts that this node may take. Empty unless the peering is active. */
export const inboundScopes = (peering: Peering): ReadonlySet<Scope> =>
  grantedScopes(peering, peering.theirs, peering.ours);

/**
 * Returns whether retractions and resolutions of the peer may end facts of third parties in this tenant, as this node
 * declares. By default true for a peer that may give facts of the scope `company`.
 */
export const mayEndOthers = (peering: Peering): boolean =>
  peering.status === 'active' && (peering.ours?.mayEndOthers ?? inboundScopes(peering).has('company'));

/** Returns false for local and team facts, which never leave their node, even if a declaration names these scopes. */
export const mayLeave = (scope: Scope): boolean => !KEPT_SCOPES.has(scope);

const KEPT_SCOPES: ReadonlySet<Scope> = new Set(['local', 'team']);

const grantedScopes = (
  { status }: Peering,
  giver: Declaration | null,
  taker: Declaration | null,
): ReadonlySet<Scope> => {
  if (status !== 'active' || giver === null || taker === null) return NONE;
  if (giver.direction === 'inbound' || taker.direction === 'outbound') return NONE;
  return new Set(giver.scopes.filter((scope) => taker.scopes.includes(scope) && mayLeave(scope)));
};

const NONE: ReadonlySet<Scope> = new Set();
