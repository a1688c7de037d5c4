import { DEFAULT_TENANT } from '../../kernel/plugin-api.ts';
import { type AuditLog, CREDENTIAL_REFUSED } from '../audit/audit-api.ts';
import { type KeyRecord, type SubjectKeys, subjectEntity } from '../keys/keys-api.ts';
import type { Quotas } from '../rate-limits/rate-limits-api.ts';
import type { JsonObject } from './fetch-document.ts';
import { permissionsFor, requireDomain, rolesOf } from './grant-rights.ts';
import type { CodeGrant, IdentityProvider } from './identity-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';

const HOUR_MS = 3_600_000;

export interface SignInParts {
  readonly settings: OidcSettings;
  readonly provider: Pick<IdentityProvider, 'verify' | 'redeem'>;
  readonly keys: SubjectKeys;
  readonly quotas: Quotas | undefined;
  readonly audit: AuditLog | undefined;
}

export interface SignInRequest {
  /** An id token, or a code for one. */
  readonly credential: string | CodeGrant;
  readonly permissions: readonly string[];
  /** The program or device that uses the key. */
  readonly client: string | null;
  /** True if the key continues the work of the keys that it replaces. */
  readonly isContinuing?: boolean;
  /** Throws for claims of a sign-in with another purpose. */
  checkPurpose(claims: JsonObject): void;
}

export interface SignedInPerson {
  readonly rawKey: string;
  readonly record: KeyRecord;
  /** The headers of the person's quota. */
  readonly quota: Readonly<Record<string, string>>;
}

/** Verifies the credential of a person at the identity provider, and makes a key with the rights of its roles. */
export const signPersonIn = async (
  { credential, permissions: asked, client, isContinuing = false, checkPurpose }: SignInRequest,
  { settings, provider, keys, quotas, audit }: SignInParts,
): Promise<SignedInPerson> => {
  const token = typeof credential === 'string' ? credential : await provider.redeem(credential);
  const { subject, claims } = await provider.verify(token);
  checkPurpose(claims);
  // The quota is charged only after the person is known, so a stranger cannot use up another person's quota.
  const holder = { tenantId: DEFAULT_TENANT, entityUri: subjectEntity(subject) };
  const quota = (await quotas?.take(holder, 'token_issue')) ?? {};
  const roles = rolesOf(claims, settings.roleClaim);
  const recordRefusal = (): Promise<void> | undefined =>
    audit?.recordRejection({
      event: CREDENTIAL_REFUSED,
      ...holder,
      oidcSub: subject,
      detail: { action: 'oidc_exchange', roles },
    });
  const permissions = await orRecord(() => {
    requireDomain(claims, settings.allowedDomains);
    return permissionsFor(roles, asked);
  }, recordRefusal);
  const lifeMs = settings.tokenTtlHours * HOUR_MS;
  return { ...(await keys.issue({ oidcSub: subject, client, permissions, roles, lifeMs, isContinuing })), quota };
};

/** Returns the result of `judge`. If `judge` throws, records the refusal first and then throws the error. */
const orRecord = async <T>(judge: () => T, recordRefusal: () => Promise<void> | undefined): Promise<T> => {
  try {
    return judge();
  } catch (error) {
    await recordRefusal();
    throw error;
  }
};
