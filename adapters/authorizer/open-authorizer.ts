import { type Authorizer, DEFAULT_TENANT, type Principal, SCOPES, ServiceError } from '../../ports/ports.ts';

/** The principal of a request without a credential while authentication is off. It is never an admin. */
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
 * Returns an authorizer for local development that admits requests without a credential. It still checks every sent
 * credential, so that an invalid key never appears to work. Without an `inner` authorizer it refuses every credential.
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
