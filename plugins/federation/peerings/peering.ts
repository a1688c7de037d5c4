import type { Scope } from '../../../kernel/plugin-api.ts';

export const PEER_STATUSES = ['pending_verification', 'active', 'rejected', 'revoked'] as const;
export type PeerStatus = (typeof PEER_STATUSES)[number];

/** `outbound`: the declaring node shares. `inbound`: it consumes. */
export const DIRECTIONS = ['bidirectional', 'outbound', 'inbound'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** What one node has declared towards the other, verified. */
export interface Declaration {
  readonly scopes: readonly Scope[];
  readonly direction: Direction;
  /** RFC 3339, exactly as sent. */
  readonly signedAt: string;
  readonly signedMs: number;
}

/** A key by which the peer signs, or signed once. */
export interface PeerKey {
  /** The first 16 hexadecimal digits of the SHA-256 of the raw public key. */
  readonly keyId: string;
  /** Raw Ed25519 key, 32 bytes. */
  readonly publicKey: Uint8Array;
  /** From then on the key makes no tokens; what it signed before stays good. Null for the current key. */
  readonly validUntilMs: number | null;
}

/** This node and another one, as far as each has declared itself. It serves one tenant. */
export interface Peering {
  readonly tenantId: string;
  readonly peerId: string;
  /** Of the other node. */
  readonly nodeId: string;
  /** Base address of the other node, without a final slash. */
  readonly nodeUrl: string;
  readonly status: PeerStatus;
  /** Null until it was posted here. */
  readonly theirs: Declaration | null;
  readonly ours: Declaration | null;
  /** Pinned when the peer was verified, and those that it followed to; the current one first. Empty before. */
  readonly keys: readonly PeerKey[];
  /** Grows whenever what the two declarations grant has changed. */
  readonly grantVersion: number;
  readonly verifiedMs: number | null;
  /** When it became active first. */
  readonly establishedMs: number | null;
  readonly createdMs: number;
}

/** What facts of this node the peer may have. Empty unless the peering is active. */
export const outboundScopes = (peering: Peering): ReadonlySet<Scope> =>
  grantedScopes(peering, peering.ours, peering.theirs);

/** What facts of the peer this node may take. Empty unless the peering is active. */
export const inboundScopes = (peering: Peering): ReadonlySet<Scope> =>
  grantedScopes(peering, peering.theirs, peering.ours);

/** Local and team facts never leave their node, whatever a declaration says. */
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
