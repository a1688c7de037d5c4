import type { Principal, Scope } from '../../../kernel/plugin-api.ts';
import { PEER } from '../federation-words.ts';
import type { Peering } from '../peerings/peering.ts';

/** Returns the peer as a principal, for work that no request of the peer started. */
export const peerPrincipal = ({ tenantId, nodeId }: Peering, allowedScopes: ReadonlySet<Scope>): Principal => ({
  kind: PEER.id,
  entityUri: nodeId,
  permissions: new Set(),
  allowedScopes,
  tenantId,
  keyId: null,
  oidcSub: null,
});
