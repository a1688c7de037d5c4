import { isLoopbackHost } from '../../kernel/internal-api.ts';
import {
  DEFAULT_TENANT,
  INSTANT_JSON,
  listOf,
  memberRefusal,
  objectOf,
  type Route,
  ServiceError,
  STRING_JSON,
  schema,
} from '../../kernel/plugin-api.ts';
import { type AuditLog, CREDENTIAL_REFUSED } from '../audit/audit-api.ts';
import { type SubjectKeys, subjectEntity } from '../keys/keys-api.ts';
import type { Quotas } from '../rate-limits/rate-limits-api.ts';
import { type JsonObject, memberOf } from './fetch-document.ts';
import { permissionsFor, requireDomain, rolesOf } from './grant-rights.ts';
import type { CodeGrant, IdentityProvider } from './identity-provider.ts';
import type { OidcSettings } from './oidc-settings.ts';
import { isBindingNonce, isSameAddress, nonceOf, type SignInBinding } from './sign-in-binding.ts';
import { invalidToken } from './token-refusal.ts';

const HOUR_MS = 3_600_000;
const MAX_LISTED = 64;
const DEFAULT_PERMISSIONS = ['read', 'write'];

interface ExchangeBody {
  readonly id_token?: string | null;
  readonly code?: string | null;
  readonly code_verifier?: string | null;
  readonly redirect_uri?: string | null;
  readonly permissions?: readonly string[] | null;
  readonly client?: string | null;
  readonly salt?: string | null;
}

export interface ExchangeParts {
  readonly settings: OidcSettings;
  /** The address of this node. */
  readonly nodeUrl: string;
  /** Undefined if the exchange is disabled. */
  readonly provider: Pick<IdentityProvider, 'verify' | 'redeem'> | undefined;
  readonly keys: SubjectKeys;
  readonly quotas: Quotas | undefined;
  readonly audit: AuditLog | undefined;
  /** Ids of all declared permissions. */
  readonly permissions: readonly string[];
}

const text = (maxLength: number) => ({ type: ['string', 'null'], minLength: 1, maxLength });

/** `POST /v1/auth/oidc/exchange`: exchanges a token of the identity provider for a key. */
export const exchangeRoute = (parts: ExchangeParts): Route<undefined, undefined, ExchangeBody> => ({
  method: 'POST',
  path: '/v1/auth/oidc/exchange',
  holdsSecret: true,
  summary: 'Gives a short-lived key for an id token, or for a code, of the identity provider',
  access: 'open',
  dimension: 'token_issue',
  bodyLimit: 'small',
  body: schema<ExchangeBody>({
    type: 'object',
    properties: {
      // No length limit here: a long token gets the same refusal as any other invalid token.
      id_token: { type: ['string', 'null'] },
      code: text(4_096),
      code_verifier: { type: ['string', 'null'], pattern: '^[A-Za-z0-9._~-]{43,128}$' },
      redirect_uri: text(2_048),
      permissions: {
        type: ['array', 'null'],
        minItems: 1,
        maxItems: MAX_LISTED,
        items: { enum: [...parts.permissions] },
      },
      client: text(255),
      salt: { type: ['string', 'null'], pattern: '^[A-Za-z0-9_-]{43}$' },
    },
  }),
  answers: {
    200: {
      json: objectOf({
        api_key: STRING_JSON,
        entity_uri: STRING_JSON,
        permissions: listOf(STRING_JSON),
        expires_at: INSTANT_JSON,
      }),
    },
  },
  example: {
    body: {
      id_token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl',
      permissions: ['read', 'write'],
      client: 'laptop of Alice',
    },
  },
  handle: ({ body }) => exchange(body, parts),
});

const exchange = async (body: ExchangeBody, { settings, nodeUrl, provider, keys, quotas, audit }: ExchangeParts) => {
  if (provider === undefined) {
    throw new ServiceError('unavailable', 'this node takes no tokens of an identity provider');
  }
  const given = credentialOf(body);
  const token = typeof given === 'string' ? given : await provider.redeem(given);
  const { subject, claims } = await provider.verify(token);
  const asked = body.permissions ?? DEFAULT_PERMISSIONS;
  const isOwnPlace = typeof given === 'string' || isOwnRedirect(given.redirectUri, nodeUrl);
  checkBinding(claims, { address: nodeUrl, permissions: asked, salt: body.salt ?? undefined }, isOwnPlace);
  // The quota is charged only after the person is known, so a stranger cannot use up another person's quota.
  const holder = { tenantId: DEFAULT_TENANT, entityUri: subjectEntity(subject) };
  const quota = await quotas?.take(holder, 'token_issue');
  const roles = rolesOf(claims, settings.roleClaim);
  const refuse = (): Promise<void> | undefined =>
    audit?.recordRejection({
      event: CREDENTIAL_REFUSED,
      ...holder,
      oidcSub: subject,
      detail: { action: 'oidc_exchange', roles },
    });
  const permissions = await orRefuse(() => {
    requireDomain(claims, settings.allowedDomains);
    return permissionsFor(roles, asked);
  }, refuse);
  const { rawKey, record } = await keys.issue({
    oidcSub: subject,
    client: body.client ?? null,
    permissions,
    roles,
    lifeMs: settings.tokenTtlHours * HOUR_MS,
  });
  return {
    status: 200,
    // No other answer ever contains the key.
    headers: { 'Cache-Control': 'no-store', ...quota },
    body: {
      api_key: rawKey,
      entity_uri: record.entityUri,
      permissions: record.permissions,
      expires_at: record.expiresAt,
    },
  };
};

/**
 * Every program on every machine may use a loopback redirect address, so its code proves nothing about the node that
 * the person meant. The provider ties any other address to one client.
 */
const isOwnRedirect = (redirectUri: string, nodeUrl: string): boolean => {
  if (!URL.canParse(redirectUri)) return false;
  const { hostname, origin } = new URL(redirectUri);
  return !isLoopbackHost(hostname) || isSameAddress(origin, new URL(nodeUrl).origin);
};

interface NodeBinding extends Omit<SignInBinding, 'salt'> {
  readonly salt: string | undefined;
}

/** Throws `authentication` for a sign-in that was made for another node or for other permissions. */
const checkBinding = (claims: JsonObject, { salt, ...binding }: NodeBinding, isOwnPlace: boolean): void => {
  const nonce = memberOf(claims, 'nonce');
  if (!isBindingNonce(nonce) && salt === undefined && isOwnPlace) return;
  if (salt !== undefined && nonce === nonceOf({ ...binding, salt })) return;
  throw invalidToken('the sign-in was made for another address than that of this node, or for other permissions');
};

/** Returns the result of `judge`. If `judge` throws, runs `refuse` first and then throws the error. */
const orRefuse = async <T>(judge: () => T, refuse: () => Promise<void> | undefined): Promise<T> => {
  try {
    return judge();
  } catch (error) {
    await refuse();
    throw error;
  }
};

/** Returns the id token, or the code with its verifier and redirect address. */
const credentialOf = (body: ExchangeBody): string | CodeGrant => {
  const { id_token: token, code, code_verifier: codeVerifier, redirect_uri: redirectUri } = body;
  if (token == null) {
    if (code == null) throw memberRefusal('body.id_token', 'is missing: send an id token, or a code');
    if (codeVerifier == null) throw memberRefusal('body.code_verifier', 'is missing: a code needs it');
    if (redirectUri == null) throw memberRefusal('body.redirect_uri', 'is missing: a code needs it');
    return { code, codeVerifier, redirectUri };
  }
  if (code != null) throw memberRefusal('body.code', 'must be left out with an id token');
  if (codeVerifier != null) throw memberRefusal('body.code_verifier', 'must be left out with an id token');
  if (redirectUri != null) throw memberRefusal('body.redirect_uri', 'must be left out with an id token');
  return token;
};
