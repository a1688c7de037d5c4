import { DEFAULT_TENANT, type Principal, SCOPES } from '../../ports/ports.ts';
import type { ServiceNames } from './service-names.ts';

/**
 * The node itself, for what nobody asked for: facts that follow from facts, the first key, the command line. It holds
 * no permission, so no route lets it in.
 */
export const nodePrincipal = (names: ServiceNames, tenantId: string = DEFAULT_TENANT): Principal => ({
  kind: 'node',
  entityUri: names.systemSource,
  permissions: new Set(),
  allowedScopes: new Set(SCOPES),
  tenantId,
  keyId: null,
  oidcSub: null,
});
