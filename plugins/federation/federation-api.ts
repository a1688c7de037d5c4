import { defineRef, type PluginSnapshot, type Principal } from '../../kernel/plugin-api.ts';
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

/** For those who judge received facts by who said them. */
export interface VerifiedOrigins {
  /**
   * Of these facts of one tenant, those whose origin has signed them, as this node could verify when they came. Others
   * say of themselves where they come from, and their sender alone vouches for it. One statement for all.
   */
  of(snapshot: PluginSnapshot, tenantId: string, factIds: readonly string[]): Promise<ReadonlySet<string>>;
}

export const VerifiedOrigins = defineRef<VerifiedOrigins>('federation.verified-origins');
