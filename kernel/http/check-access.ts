import { type Authorizer, DEFAULT_TENANT, type Principal, ServiceError } from '../../ports/ports.ts';
import type { HookCaller } from '../hooks/define-hook.ts';
import { hasPermission, lacksPermission } from '../identity/require-permission.ts';
import { readBearerToken } from './read-bearer-token.ts';
import { refusedCredential } from './refused-credential.ts';
import { type HttpRequestInfo, httpAdmit, httpCredential, httpPrincipal } from './request-hooks.ts';
import type { Access } from './route-definition.ts';

/**
 * Identifies the caller. An open route has none, even with a credential. A peer route bypasses the Authorizer, so that
 * an API key is never valid there; only `http:principal` identifies the peer. Throws `authentication` without a valid
 * credential.
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
      caller = (await recognised(token, hooks)) ?? (await authorizer.authenticate(token));
    } catch (error) {
      if (!mayBeOfPeer(info, token, error)) throw error;
    }
  }
  if (hooks.hasHandlers(httpPrincipal)) caller = await hooks.filter(httpPrincipal, caller, info);
  if (caller === null) throw refusedCredential();
  return caller;
};

/** Returns the principal from the plugin that recognises the token; undefined if no plugin recognises it. */
const recognised = async (token: string | null, hooks: HookCaller): Promise<Principal | undefined> =>
  token !== null && hooks.hasHandlers(httpCredential) ? (await hooks.collect(httpCredential, { token }))[0] : undefined;

/**
 * Returns whether a refused credential may belong to a peer. That is possible for a request without a matching route,
 * for which `http:principal` decides.
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

/** Returns a check that throws the refusal of the route unless the caller has the permission, or one of the list. */
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
