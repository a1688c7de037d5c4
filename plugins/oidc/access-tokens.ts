import { DEFAULT_TENANT, definePrincipalKind, type Principal, SCOPES, ServiceError } from '../../kernel/plugin-api.ts';
import { subjectEntity } from '../keys/keys-api.ts';
import { memberOf } from './fetch-document.ts';
import { DEFAULT_PERMISSIONS, permissionsFor, requireDomain, rolesOf } from './grant-rights.ts';
import type { IdentityProvider } from './identity-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';

export const ACCESS_TOKEN_PRINCIPAL = definePrincipalKind('access-token', {
  summary: 'the holder of an access token of the identity provider',
});

export interface AccessTokenParts {
  readonly settings: OidcSettings;
  readonly provider: Pick<IdentityProvider, 'verifyAccess'>;
  /** The ids of all permissions that plugins declare. */
  readonly permissions: readonly string[];
}

/**
 * Returns the caller of an access token of the identity provider, with the same rights as the exchange gives. The claim
 * `scope` requests permissions. Returns undefined for an invalid token and any other credential, so that the refusal is
 * that of a wrong key. Rejects with `authorization` for a person who has no rights on this node.
 */
export const callerOfToken = async (
  token: string,
  { settings, provider, permissions: known }: AccessTokenParts,
): Promise<Principal | undefined> => {
  if (!COMPACT_JWT.test(token)) return undefined;
  const person = await unlessRefused(provider.verifyAccess(token));
  if (person === undefined) return undefined;
  const { subject, claims } = person;
  requireDomain(claims, settings.allowedDomains);
  const words = String(memberOf(claims, 'scope') ?? '').split(' ');
  const asked = known.filter((permission) => words.includes(permission));
  const permissions = permissionsFor(
    rolesOf(claims, settings.roleClaim),
    asked.length > 0 ? asked : DEFAULT_PERMISSIONS,
  );
  return {
    kind: ACCESS_TOKEN_PRINCIPAL.id,
    entityUri: subjectEntity(subject),
    permissions: new Set(permissions),
    allowedScopes: new Set(SCOPES),
    tenantId: DEFAULT_TENANT,
    keyId: null,
    oidcSub: subject,
  };
};

/** Matches compact JWTs. Their header is a JSON object, so their first letters are always the same. */
const COMPACT_JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;

const unlessRefused = async <T>(work: Promise<T>): Promise<T | undefined> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) return undefined;
    throw error;
  }
};
