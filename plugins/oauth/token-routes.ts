import { objectSchema } from '../../kernel/internal-api.ts';
import { listOf, objectOf, type Route, STRING_JSON, schema } from '../../kernel/plugin-api.ts';
import type { ClientDirectory } from './client-directory.ts';
import { readClientMetadata } from './client-metadata.ts';
import { NOT_CACHED, OAUTH_REFUSAL, OAuthError, oauthReply } from './oauth-error.ts';
import type { IssuedTokens, OAuthTokens } from './oauth-tokens.ts';

export interface TokenRouteParts {
  readonly tokens: OAuthTokens;
  readonly clients: ClientDirectory;
}

interface TokenForm {
  readonly grant_type?: string;
  readonly client_id?: string;
  readonly code?: string;
  readonly code_verifier?: string;
  readonly redirect_uri?: string;
  readonly refresh_token?: string;
  readonly resource?: string;
}

const text = { type: 'string', maxLength: 2_048 } as const;

/** `POST /oauth/token`: exchanges a code or a refresh token. */
export const tokenRoute = ({ tokens }: TokenRouteParts): Route<undefined, undefined, TokenForm> => ({
  method: 'POST',
  path: '/oauth/token',
  holdsSecret: true,
  summary: 'Gives a remote client tokens for a code or a refresh token',
  access: 'open',
  dimension: 'token_issue',
  bodyForm: 'form',
  bodyLimit: 'small',
  body: objectSchema<TokenForm>({
    grant_type: text,
    client_id: text,
    code: text,
    code_verifier: text,
    redirect_uri: text,
    refresh_token: text,
    resource: text,
  }),
  answers: {
    200: {
      json: objectOf({
        access_token: STRING_JSON,
        token_type: STRING_JSON,
        expires_in: { type: 'integer' },
        refresh_token: STRING_JSON,
        scope: STRING_JSON,
      }),
    },
    400: OAUTH_REFUSAL,
  },
  example: {
    body: {
      grant_type: 'refresh_token',
      client_id: 'https://assistant.example.com/client.json',
      refresh_token: 'ort_dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
    },
  },
  handle: ({ body }) =>
    oauthReply(async () => ({ status: 200, headers: NOT_CACHED, body: tokenJson(await exchanged(body, tokens)) })),
});

const exchanged = (form: TokenForm, tokens: OAuthTokens): Promise<IssuedTokens> => {
  const { grant_type: kind, resource } = form;
  const required = (name: keyof TokenForm): string => {
    const value = form[name];
    if (value === undefined || value === '')
      throw new OAuthError('invalid_request', `the parameter ${name} is missing`);
    return value;
  };
  if (required('grant_type') === 'authorization_code') {
    return tokens.redeem({
      code: required('code'),
      verifier: required('code_verifier'),
      redirectUri: required('redirect_uri'),
      clientId: required('client_id'),
      resource,
    });
  }
  if (kind === 'refresh_token') return tokens.refresh(required('refresh_token'), required('client_id'), resource);
  throw new OAuthError('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token');
};

const tokenJson = ({ accessToken, refreshToken, expiresInSeconds, permissions }: IssuedTokens) => ({
  access_token: accessToken,
  token_type: 'Bearer',
  expires_in: expiresInSeconds,
  refresh_token: refreshToken,
  scope: permissions.join(' '),
});

interface RevokeForm {
  readonly token?: string;
  readonly client_id?: string;
}

/** `POST /oauth/revoke` (RFC 7009). */
export const revokeTokenRoute = ({ tokens }: TokenRouteParts): Route<undefined, undefined, RevokeForm> => ({
  method: 'POST',
  path: '/oauth/revoke',
  summary: 'Lets a remote client end a token of its own; a refresh token ends with its grant',
  access: 'open',
  bodyForm: 'form',
  bodyLimit: 'small',
  body: objectSchema<RevokeForm>({ token: text, client_id: text }),
  answers: { 200: {}, 400: OAUTH_REFUSAL },
  example: {
    body: {
      token: 'ort_dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      client_id: 'https://assistant.example.com/client.json',
    },
  },
  handle: ({ body: { token, client_id: clientId } }) =>
    oauthReply(async () => {
      if (token === undefined || clientId === undefined) {
        throw new OAuthError('invalid_request', 'the parameters token and client_id are required');
      }
      await tokens.revoke(token, clientId);
      return { status: 200, headers: NOT_CACHED };
    }),
});

interface Registration {
  readonly redirect_uris?: unknown;
  readonly client_name?: unknown;
  readonly token_endpoint_auth_method?: unknown;
  readonly grant_types?: unknown;
  readonly response_types?: unknown;
}

const REGISTRATION_SHOWN = {
  type: 'object',
  required: ['redirect_uris'],
  properties: {
    redirect_uris: listOf(STRING_JSON),
    client_name: STRING_JSON,
    token_endpoint_auth_method: STRING_JSON,
    grant_types: listOf(STRING_JSON),
    response_types: listOf(STRING_JSON),
  },
} as const;

/** `POST /oauth/register` (RFC 7591). Every client becomes a public client, because PKCE protects its codes. */
export const registerClientRoute = ({ clients }: TokenRouteParts): Route<undefined, undefined, Registration> => ({
  method: 'POST',
  path: '/oauth/register',
  summary: 'Registers a remote client that has no metadata document',
  access: 'open',
  bodyLimit: 'small',
  body: schema<Registration>({
    type: 'object',
    // Clients also send members of other specifications.
    additionalProperties: true,
    properties: Object.fromEntries(Object.keys(REGISTRATION_SHOWN.properties).map((name) => [name, {}])),
  }),
  bodyShown: REGISTRATION_SHOWN,
  answers: {
    201: {
      json: objectOf({
        client_id: STRING_JSON,
        client_id_issued_at: { type: 'integer' },
        client_name: STRING_JSON,
        redirect_uris: listOf(STRING_JSON),
        token_endpoint_auth_method: STRING_JSON,
        grant_types: listOf(STRING_JSON),
        response_types: listOf(STRING_JSON),
      }),
    },
    400: OAUTH_REFUSAL,
    503: OAUTH_REFUSAL,
  },
  example: { body: { client_name: 'Assistant', redirect_uris: ['https://assistant.example.com/callback'] } },
  handle: ({ body }) =>
    oauthReply(async () => {
      const metadata = readClientMetadata({ ...body }, { needsName: false });
      const { clientId, createdMs } = await clients.register(metadata);
      return {
        status: 201,
        headers: NOT_CACHED,
        body: {
          client_id: clientId,
          client_id_issued_at: Math.floor(createdMs / 1_000),
          client_name: metadata.name,
          redirect_uris: metadata.redirectUris,
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      };
    }),
});
