import { defineRef, type Filter, type Principal, type Scope } from '../../kernel/plugin-api.ts';
import type { DeclarationDocument, DeclareRequest } from './peerings/declaration.ts';
import type { FederationEntry, FederationEntryFilter, FederationEntryPosition } from './peerings/federation-log.ts';
import type { Direction, Peering } from './peerings/peering.ts';

export type {
  DeclarationDocument,
  DeclareRequest,
  Direction,
  FederationEntry,
  FederationEntryFilter,
  FederationEntryPosition,
  Peering,
};

/** Administers who this node exchanges facts with, in the tenant of the caller. */
export interface PeerRegistry {
  /**
   * Takes a declaration: one of another node, which is verified against what that node says of itself, or one that this
   * node has signed. `nodeUrl` is where the other node is reached, in place of what the declaration says. Needs
   * `federate`. Rejects with `federation_disabled` while federation is off.
   */
  register(
    caller: Principal,
    declaration: DeclarationDocument,
    options?: { readonly nodeUrl?: string | undefined },
  ): Promise<Peering>;
  /** Signs a declaration of this node and registers it. It is for the other node. Needs `federate`. */
  declare(
    caller: Principal,
    request: DeclareRequest,
  ): Promise<{ readonly declaration: DeclarationDocument; readonly peering: Peering }>;
  /** All peerings of the tenant, oldest first. Needs `federate`. */
  list(caller: Principal): Promise<readonly Peering[]>;
  /** Ends a peering in both directions, at once and in every process. Needs `admin`. */
  revoke(caller: Principal, peerId: string): Promise<Peering>;
  /** What happened between this node and its peers, newest first; at most `limit` entries. Needs `federate`. */
  events(
    caller: Principal,
    filter: FederationEntryFilter,
    page: { readonly after?: FederationEntryPosition | undefined; readonly limit: number },
  ): Promise<{ readonly entries: readonly FederationEntry[]; readonly more: boolean }>;
}

export const PeerRegistry = defineRef<PeerRegistry>('federation.peers');

/** How far this node has read one scope of a peer. */
export interface InboundLag {
  readonly scope: Scope;
  /** Stamp of the peer's feed up to which everything is here; null before the first page. */
  readonly cursor: string | null;
  /** Facts that are still to come, as the peer said last; null where it did not say. */
  readonly facts: number | null;
  /** What the peer had so long ago is all here; null before the end of its feed was reached once. */
  readonly lagMs: number | null;
  readonly lastOkMs: number | null;
  readonly lastFailureMs: number | null;
  readonly lastError: string | null;
  /** In a row. */
  readonly failures: number;
  readonly nextPullMs: number;
  /** Facts that wait until they can be stored. */
  readonly parked: number;
}

/** How far a peer has read one scope of this node. */
export interface OutboundLag {
  /** `all` for a peer that asks for everything at once. */
  readonly scope: Scope | 'all';
  /** Null for a peer that has not asked yet. */
  readonly cursor: string | null;
  /** Facts that the peer does not have, counted among the next 10,000 entries of the feed. */
  readonly facts: number;
  /** Age of the oldest of them, 0 without any. */
  readonly lagMs: number;
  readonly askedMs: number | null;
}

export interface PeerLag {
  readonly peering: Peering;
  readonly inbound: readonly InboundLag[];
  readonly outbound: readonly OutboundLag[];
  /** New facts that the peer brought today, UTC, and how many it may bring; 0: any number. */
  readonly addedToday: number;
  readonly maxPerDay: number;
  /** Until then nothing is taken from the peer, which brought mostly invalid facts; null as a rule. */
  readonly quarantinedUntilMs: number | null;
}

/** Where the exchange with each peer stands. */
export interface PeerLags {
  /** Needs `federate`. Rejects with `lookup` for a peer that the tenant of the caller does not have. */
  of(caller: Principal, peerId: string): Promise<PeerLag>;
}

export const PeerLags = defineRef<PeerLags>('federation.lags');

/** A document of a peer, or why there is none; nothing of what the peer wrote is in the reason. */
export type PeerReply =
  | { readonly kind: 'document'; readonly document: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

/** For plugins that exchange something else than facts with the same peers. */
export interface PeerExchange {
  readonly isEnabled: boolean;
  /** Who asks on a route with access `peer`. Throws 403 while federation is off. */
  callerOf(principal: Principal): Peering;
  /** What the peer may have of the facts of its tenant. */
  eligibleFor(peering: Peering, scopes: ReadonlySet<Scope>): Filter;
  /** In any status; undefined for a peering that the tenant does not have. */
  find(tenantId: string, peerId: string): Promise<Peering | undefined>;
  /** Peerings of a tenant with these nodes, by the match key of their ids. Their keys are those that were pinned. */
  withNodes(tenantId: string, nodeIds: readonly string[]): Promise<ReadonlyMap<string, Peering>>;
  /** Asks a peer for a JSON document under its address, by a peer token. Never rejects for what the peer does. */
  ask(
    peering: Peering,
    target: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly maxBytes: number },
  ): Promise<PeerReply>;
}

export const PeerExchange = defineRef<PeerExchange>('federation.exchange');
