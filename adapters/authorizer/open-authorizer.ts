import { type Authorizer, DEFAULT_TENANT, type Principal, SCOPES, ServiceError } from '../../ports/ports.ts';

/** Whom a request without a credential acts as while authentication is off. It is never an admin. */
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
 * For local development: a request without a credential is let in. One with a credential is still checked by `inner`,
 * and refused where there is none to ask, so that nobody takes a key that does not work for one that does.
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
