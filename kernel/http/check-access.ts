import { type Authorizer, DEFAULT_TENANT, type Principal, ServiceError } from '../../ports/ports.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { hasPermission, lacksPermission } from '../identity/require-permission.ts';
import { readBearerToken } from './read-bearer-token.ts';
import { refusedCredential } from './refused-credential.ts';
import { type HttpRequestInfo, httpAdmit, httpPrincipal } from './request-hooks.ts';
import type { Access } from './route-definition.ts';

/**
 * Identifies the caller. An open route has none, with any credential. A peer route skips the Authorizer, so that an API
 * key never counts there; `http:principal` alone names the peer. Throws `authentication` without a valid credential.
 */
export const identifyCaller = async (
  info: HttpRequestInfo,
  { authorizer, hooks }: { readonly authorizer: Authorizer; readonly hooks: HookCaller },
): Promise<Principal> => {
  if (info.access === 'open') return NOBODY;
  const token = readBearerToken(info.request);
  let caller: Principal | null = null;
  if (info.access !== 'peer') {
    try {
      caller = await authorizer.authenticate(token);
    } catch (error) {
      if (!mayBeOfPeer(info, token, error)) throw error;
    }
  }
  if (hooks.hasHandlers(httpPrincipal)) caller = await hooks.filter(httpPrincipal, caller, info);
  if (caller === null) throw refusedCredential();
  return caller;
};

/**
 * A credential that the Authorizer refuses may still be one of a peer. So for a request without a matching route,
 * `http:principal` decides.
 */
const mayBeOfPeer = ({ route }: HttpRequestInfo, token: string | null, error: unknown): boolean =>
  route === null && token !== null && error instanceof ServiceError && error.status === 401;

/** Calls `http:admit`, and adds the returned headers to the answer, to an error as well. */
export const admitRequest = async (
  info: HttpRequestInfo,
  caller: Principal,
  hooks: HookCaller,
  headers: Record<string, string>,
): Promise<void> => {
  if (!hooks.hasHandlers(httpAdmit)) return;
  for (const added of await hooks.collect(httpAdmit, { ...info, caller })) Object.assign(headers, added);
};

/** Throws the refusal of the route unless the caller has the permission, or one of the list. */
export const compilePermissionCheck = (access: Access): ((caller: Principal) => void) => {
  if (typeof access === 'string' || access.permission === 'any') return () => {};
  const { permission, refusal = 'authorization' } = access;
  return (caller) => {
    if (!hasPermission(caller, permission)) throw lacksPermission(permission, refusal);
  };
};

const NOBODY: Principal = Object.freeze({
  kind: 'anonymous',
  entityUri: 'anon:nobody',
  permissions: new Set<never>(),
  allowedScopes: new Set<never>(),
  tenantId: DEFAULT_TENANT,
  keyId: null,
  oidcSub: null,
});
