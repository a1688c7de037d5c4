import type { Principal, Scope } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';

/** A caller with a peer token. `allowedScopes` are the scopes that both declarations and the token grant. */
export interface PeerCaller {
  readonly principal: Principal;
  readonly peering: Peering;
  /** Scopes that the token names; undefined if it does not narrow them. */
  readonly tokenScopes: ReadonlySet<Scope> | undefined;
}

export interface PeerTokens {
  /** Makes a token for one request to the peer, valid for a minute. */
  mint(peering: Pick<Peering, 'nodeId'>, scopes: readonly Scope[]): string;
  /**
   * Verifies a token and uses it up. Rejects with 401 and the code of the first failed check, in the order of
   * docs/reference/federation.md, "Peer tokens". Works while federation is switched off too.
   */
  accept(token: string): Promise<PeerCaller>;
  /** The peer behind the principal of a request on a peer route. Throws for any other principal. */
  callerOf(principal: Principal): PeerCaller;
}
