import { DEFAULT_TENANT, type Principal, SCOPES } from '../../kernel/plugin-api.ts';

/** Creates a caller for use cases without HTTP: the holder of a key that may read and write in all scopes. */
export const createPrincipal = (changes: Partial<Principal> = {}): Principal => ({
  kind: 'key',
  entityUri: 'agent:caller',
  permissions: new Set(['read', 'write']),
  allowedScopes: new Set(SCOPES),
  tenantId: DEFAULT_TENANT,
  keyId: null,
  oidcSub: null,
  ...changes,
});
