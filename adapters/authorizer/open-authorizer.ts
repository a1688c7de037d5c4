import { type Authorizer, DEFAULT_TENANT, type Principal, SCOPES, ServiceError } from '../../ports/ports.ts';

/** The caller of a request without a credential while authentication is off. It is never an admin. */
const ANYBODY: Principal = Object.freeze({
  kind: 'anonymous',
  entityUri: 'anon:trusted',
  permissions: new Set(['read', 'write', 'federate'] as const),
  allowedScopes: new Set(SCOPES),
  tenantId: DEFAULT_TENANT,
  keyId: null,
  oidcSub: null,
});

/**
 * For local development. Without a credential, access is open. A credential is always checked, so that an invalid key
 * never appears to work. It is refused when there is no `inner` authorizer.
 */
export const createOpenAuthorizer = (inner: Authorizer | undefined): Authorizer => ({
  authenticate(token) {
    if (token === null) return ANYBODY;
    if (inner !== undefined) return inner.authenticate(token);
    throw new ServiceError('authentication', 'the API key is not valid', {
      hint: 'leave the key out: this node checks no keys',
    });
  },
});
