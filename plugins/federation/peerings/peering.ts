import type { Scope } from '../../../kernel/plugin-api.ts';

export const PEER_STATUSES = ['pending_verification', 'active', 'rejected', 'revoked'] as const;
export type PeerStatus = (typeof PEER_STATUSES)[number];

/** `outbound`: the declaring node shares. `inbound`: it consumes. */
export const DIRECTIONS = ['bidirectional', 'outbound', 'inbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** A verified declaration of one node towards the other. */
export interface Declaration {
  readonly scopes: readonly Scope[];
  readonly direction: Direction;
  /** RFC 3339, exactly as sent. */
  readonly signedAt: string;
  readonly signedMs: number;
}

/** A present or former signing key of the peer. */
export interface PeerKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** Raw Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** From then on the key signs no tokens; earlier signatures stay valid. Null for the current key. */
  readonly validUntilMs: number | null;
}

/** The relation of this node and another one, as declared by both. It serves one tenant. */
export interface Peering {
  readonly tenantId: string;
  readonly peerId: string;
  /** Id of the other node. */
  readonly nodeId: string;
  /** Base address of the other node, without a final slash. */
  readonly nodeUrl: string;
  readonly status: PeerStatus;
  /** Null until the other node's declaration is posted here. */
  readonly theirs: Declaration | null;
  readonly ours: Declaration | null;
  /** The key pinned on verification and its successors, the current one first. Empty before verification. */
  readonly keys: readonly PeerKey[];
  /** Grows with each change of the grant. */
  readonly grantVersion: number;
  readonly verifiedMs: number | null;
  /** When the peering first became active. */
  readonly establishedMs: number | null;
  readonly createdMs: number;
}

/** Scopes of this node's facts that the peer may read. Empty unless the peering is active. */
export const outboundScopes = (peering: Peering): ReadonlySet<Scope> =>
  grantedScopes(peering, peering.ours, peering.theirs);

/** Scopes of the peer's facts that this node may take. Empty unless the peering is active. */
export const inboundScopes = (peering: Peering): ReadonlySet<Scope> =>
  grantedScopes(peering, peering.theirs, peering.ours);

/** Local and team facts never leave their node, even if a declaration names these scopes. */
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
