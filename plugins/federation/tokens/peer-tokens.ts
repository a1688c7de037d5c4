import type { Principal, Scope } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';

/** A caller with a peer token. Both declarations and the token grant the `allowedScopes`. */
export interface PeerCaller {
  readonly principal: Principal;
  readonly peering: Peering;
  /** The scopes that the token names; undefined if it does not narrow them. */
  readonly tokenScopes: ReadonlySet<Scope> | undefined;
}

export interface PeerTokens {
  /** Creates a token for one request to the peer, valid for a minute. */
  mint(peering: Pick<Peering, 'nodeId'>, scopes: readonly Scope[]): string;
  /**
   * Verifies a token and marks it as used. Rejects with 401 and the code of the first failed check, in the order of
   * docs/reference/federation.md, "Peer tokens". Works even while federation is off.
   */
  accept(token: string): Promise<PeerCaller>;
  /** Returns the peer that sent a request on a peer route. Throws for any other principal. */
  callerOf(principal: Principal): PeerCaller;
}
