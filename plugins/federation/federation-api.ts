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

/** Manages the peers of this node, in the tenant of the caller. */
export interface PeerRegistry {
  /**
   * Registers a declaration: one of another node, verified against that node's metadata, or one that this node has
   * signed. `nodeUrl` replaces the address in the declaration. With `code`, a declaration with another code is refused
   * before its node is asked anything. Needs `federate`. Rejects with `federation_disabled` while federation is off.
   */
  register(
    caller: Principal,
    declaration: DeclarationDocument,
    options?: { readonly nodeUrl?: string | undefined; readonly code?: string | undefined },
  ): Promise<Peering>;
  /**
   * Signs a declaration of this node for another node, and registers it. `code` is a short digest of it, which the
   * operators of both nodes compare by voice. Needs `federate`.
   */
  declare(
    caller: Principal,
    request: DeclareRequest,
  ): Promise<{ readonly declaration: DeclarationDocument; readonly code: string; readonly peering: Peering }>;
  /** Lists all peerings of the tenant, oldest first. Needs `federate`. */
  list(caller: Principal): Promise<readonly Peering[]>;
  /** Ends a peering in both directions, at once and in every process. Needs `admin`. */
  revoke(caller: Principal, peerId: string): Promise<Peering>;
  /** Lists the log of the exchange with peers, newest first, at most `limit` entries. Needs `federate`. */
  events(
    caller: Principal,
    filter: FederationEntryFilter,
    page: { readonly after?: FederationEntryPosition | undefined; readonly limit: number },
  ): Promise<{ readonly entries: readonly FederationEntry[]; readonly more: boolean }>;
}

export const PeerRegistry = defineRef<PeerRegistry>('federation.peers');

/** The progress of this node in reading one scope of a peer. */
export interface InboundLag {
  readonly scope: Scope;
  /** The stamp in the peer's feed up to which this node has all facts; null before the first page. */
  readonly cursor: string | null;
  /** The number of facts still to come, as the peer last reported; null if it reported none. */
  readonly facts: number | null;
  /**
   * The age of the peer's newest state that this node has completely; null until it has first reached the end of the
   * feed.
   */
  readonly lagMs: number | null;
  readonly lastOkMs: number | null;
  readonly lastFailureMs: number | null;
  readonly lastError: string | null;
  /** The number of consecutive failures. */
  readonly failures: number;
  readonly nextPullMs: number;
  /** The number of received facts that this node cannot store yet. */
  readonly parked: number;
}

/** The progress of a peer in reading one scope of this node. */
export interface OutboundLag {
  /** The scope that the peer reads; `all` if it reads all its scopes at once. */
  readonly scope: Scope | 'all';
  /** The stamp up to which the peer has read; null if it has not read yet. */
  readonly cursor: string | null;
  /** The number of facts that the peer lacks, counted among the next 10,000 entries of the feed. */
  readonly facts: number;
  /** The age of the oldest fact that the peer lacks; 0 without any. */
  readonly lagMs: number;
  readonly askedMs: number | null;
}

export interface PeerLag {
  readonly peering: Peering;
  readonly inbound: readonly InboundLag[];
  readonly outbound: readonly OutboundLag[];
  /** The number of new facts from the peer today (UTC), and the daily limit; 0 means no limit. */
  readonly addedToday: number;
  readonly maxPerDay: number;
  /**
   * The instant until which this node accepts nothing from the peer, because it sent mostly invalid facts. Null without
   * a quarantine.
   */
  readonly quarantinedUntilMs: number | null;
}

/** The progress of the exchange with each peer. */
export interface PeerLags {
  /**
   * Returns the progress of one peer. Needs `federate`. Rejects with `lookup` for a peer that the tenant of the caller
   * does not have.
   */
  of(caller: Principal, peerId: string): Promise<PeerLag>;
}

export const PeerLags = defineRef<PeerLags>('federation.lags');

/** A document of a peer, or the reason for its absence. The reason quotes nothing from the peer's reply. */
export type PeerReply =
  | { readonly kind: 'document'; readonly document: unknown }
  | { readonly kind: 'failed'; readonly reason: string };

/** Lets other plugins exchange their own data with the same peers. */
export interface PeerExchange {
  readonly isEnabled: boolean;
  /** Returns the peering of the caller on a route with access `peer`. Throws 403 while federation is off. */
  callerOf(principal: Principal): Peering;
  /** Returns a filter for the facts that the peer may receive, within its tenant. */
  eligibleFor(peering: Peering, scopes: ReadonlySet<Scope>): Filter;
  /** Finds a peering in any status. Returns undefined if the tenant has none. */
  find(tenantId: string, peerId: string): Promise<Peering | undefined>;
  /**
   * Returns the peerings of a tenant with these nodes, by the match key of their ids. Their keys are the pinned ones.
   */
  withNodes(tenantId: string, nodeIds: readonly string[]): Promise<ReadonlyMap<string, Peering>>;
  /**
   * Reads the keys of the peer again, at most once in 30 seconds. Returns the updated peering, even if the peer did not
   * reply. Never call it inside a transaction, because it makes network requests.
   */
  refreshKeys(peering: Peering): Promise<Peering>;
  /**
   * Fetches a JSON document under the peer's address, with a peer token. Never rejects because of an error of the peer.
   */
  ask(
    peering: Peering,
    target: string,
    options: { readonly headers?: Readonly<Record<string, string>>; readonly maxBytes: number },
  ): Promise<PeerReply>;
}

export const PeerExchange = defineRef<PeerExchange>('federation.exchange');
