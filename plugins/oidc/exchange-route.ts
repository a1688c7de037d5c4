import { isLoopbackHost, objectSchema } from '../../kernel/internal-api.ts';
import { INSTANT_JSON, listOf, memberRefusal, objectOf, type Route, STRING_JSON } from '../../kernel/plugin-api.ts';
import { type JsonObject, memberOf } from './fetch-document.ts';
import { DEFAULT_PERMISSIONS } from './grant-rights.ts';
import type { CodeGrant } from './identity-provider.ts';
import { isBindingNonce, isSameAddress, nonceOf, type SignInBinding } from './sign-in-binding.ts';
import { type SignInParts, signPersonIn } from './sign-person-in.ts';
import { invalidToken, signInIsOff } from './token-refusal.ts';

const MAX_LISTED = 64;

interface ExchangeBody {
  readonly id_token?: string | null;
  readonly code?: string | null;
  readonly code_verifier?: string | null;
  readonly redirect_uri?: string | null;
  readonly permissions?: readonly string[] | null;
  readonly client?: string | null;
  readonly salt?: string | null;
}

export interface ExchangeParts extends Omit<SignInParts, 'provider'> {
  /** The address of this node. */
  readonly nodeUrl: string;
  /** Undefined if the exchange is disabled. */
  readonly provider: SignInParts['provider'] | undefined;
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
  body: objectSchema<ExchangeBody>({
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

const exchange = async (body: ExchangeBody, { provider, nodeUrl, ...parts }: ExchangeParts) => {
  if (provider === undefined) throw signInIsOff();
  const credential = credentialOf(body);
  const permissions = body.permissions ?? DEFAULT_PERMISSIONS;
  const isOwnPlace = typeof credential === 'string' || isOwnRedirect(credential.redirectUri, nodeUrl);
  const binding = { address: nodeUrl, permissions, salt: body.salt ?? undefined };
  const { rawKey, record, quota } = await signPersonIn(
    {
      credential,
      permissions,
      client: body.client ?? null,
      checkPurpose: (claims) => checkBinding(claims, binding, isOwnPlace),
    },
    { ...parts, provider },
  );
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
 * Returns true for a redirect address that the provider accepts only for one client. Every program on every machine may
 * use a loopback address, so a code sent there does not prove which node the person meant.
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
