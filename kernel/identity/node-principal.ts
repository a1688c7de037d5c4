import { DEFAULT_TENANT, type Principal, SCOPES } from '../../ports/ports.ts';
import type { ServiceNames } from './service-names.ts';

/**
 * Returns the node itself as a principal, the author of work without a caller: follow-ups, the first key, the command
 * line. It has no permission, so no route admits it.
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
