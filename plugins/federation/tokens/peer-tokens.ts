import type { Principal, Scope } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';

/** A caller with a peer token. `allowedScopes` are what it may read: what both declarations and its token grant. */
export interface PeerCaller {
  readonly principal: Principal;
  readonly peering: Peering;
  /** Scopes that the token names; undefined where it names none, and so does not narrow. */
  readonly tokenScopes: ReadonlySet<Scope> | undefined;
}

export interface PeerTokens {
  /** A token for one request to the peer, good for a minute. */
  mint(peering: Pick<Peering, 'nodeId'>, scopes: readonly Scope[]): string;
  /**
   * Verifies a token and uses it up. Rejects with 401 and the code of the first failed check, in the order of
   * docs/reference/federation.md, "Peer tokens". Works while federation is switched off too.
   */
  accept(token: string): Promise<PeerCaller>;
  /** Who the principal of a request on a peer route is. Throws for any other principal. */
  callerOf(principal: Principal): PeerCaller;
}
