import type { ClientDirectory, OAuthClient } from './client-directory.ts';
import { OAuthError, type OAuthErrorCode } from './oauth-error.ts';
import { permitsRedirect } from './redirect-uri.ts';

/**
 * The path of the resource to which remote clients request access. Their tokens are valid on every route of the node.
 */
export const RESOURCE_PATH = '/v1/mcp';

/** The permissions that a person can grant to a client. Administration needs an API key. */
export const OFFERED_PERMISSIONS = ['read', 'write'] as const;

const MAX_TEXT = 2_048;

/** The parameters of an authorization request that the node reads. It ignores all others. */
export const AUTHORIZATION_PARAMETERS = [
  'response_type',
  'response_mode',
  'client_id',
  'redirect_uri',
  'scope',
  'state',
  'code_challenge',
  'code_challenge_method',
  'resource',
  'request',
  'request_uri',
] as const;

export type AuthorizationQuery = { readonly [K in (typeof AUTHORIZATION_PARAMETERS)[number]]?: string };

/** The query schema of `AUTHORIZATION_PARAMETERS`. */
export const AUTHORIZATION_PROPERTIES = Object.fromEntries(
  AUTHORIZATION_PARAMETERS.map((name) => [name, { type: 'string', maxLength: MAX_TEXT }]),
) as Readonly<Record<keyof AuthorizationQuery, { readonly type: 'string'; readonly maxLength: number }>>;

/** An authorization request of a client that has passed all checks. */
export interface AuthorizationRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** The S256 challenge of PKCE. */
  readonly challenge: string;
  readonly permissions: readonly string[];
  /** The parameters as sent. The sign-in form repeats them, because the node stores nothing before the sign-in. */
  readonly query: AuthorizationQuery;
}

/** A refusal that the node reports to the client, because the client has registered the redirect address. */
export class RedirectedError extends OAuthError {
  readonly redirectUri: string;
  readonly state: string | undefined;

  constructor(code: OAuthErrorCode, message: string, back: { redirectUri: string; state: string | undefined }) {
    super(code, message);
    this.redirectUri = back.redirectUri;
    this.state = back.state;
  }
}

/**
 * Checks an authorization request. Rejects with a `RedirectedError` for a fault that the client may see. An unknown
 * client or redirect address rejects with a plain `OAuthError`: only the person sees it, because the address may belong
 * to an attacker.
 */
export const readAuthorization = async (
  query: AuthorizationQuery,
  { clients, nodeUrl }: { readonly clients: Pick<ClientDirectory, 'find'>; readonly nodeUrl: string },
): Promise<{ readonly request: AuthorizationRequest; readonly client: OAuthClient }> => {
  const { client_id: clientId, redirect_uri: redirectUri, state, code_challenge: challenge = '' } = query;
  if (clientId === undefined) throw new OAuthError('invalid_request', 'the parameter client_id is missing');
  const client = await clients.find(clientId);
  // A code sent to an unregistered address could reach an attacker.
  if (redirectUri === undefined || !client.redirectUris.some((known) => permitsRedirect(known, redirectUri))) {
    throw new OAuthError('invalid_request', 'the client has not registered this redirect_uri');
  }
  const refuse = (code: OAuthErrorCode, message: string): never => {
    throw new RedirectedError(code, message, { redirectUri, state });
  };
  if (query.request !== undefined || query.request_uri !== undefined) {
    refuse('request_not_supported', 'send the parameters in the query, without a request object');
  }
  if (query.response_type !== 'code') refuse('unsupported_response_type', 'response_type must be code');
  if ((query.response_mode ?? 'query') !== 'query') refuse('invalid_request', 'response_mode must be query');
  if (query.code_challenge_method !== 'S256' || !CHALLENGE.test(challenge)) {
    refuse('invalid_request', 'PKCE is required: code_challenge with code_challenge_method S256');
  }
  if (query.resource !== undefined && !isResource(query.resource, nodeUrl)) {
    refuse('invalid_target', 'the resource belongs to another node');
  }
  const permissions = permissionsIn(query.scope);
  return { request: { clientId, redirectUri, state, challenge, permissions, query }, client };
};

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/** Returns whether a resource indicator (RFC 8707) names this node or its MCP endpoint. */
export const isResource = (resource: string, nodeUrl: string): boolean => {
  if (!URL.canParse(resource) || /[?#]/.test(resource)) return false;
  const { origin, pathname, username, password } = new URL(resource);
  const isOfNode = origin === new URL(nodeUrl).origin && username === '' && password === '';
  return isOfNode && ['/', RESOURCE_PATH, `${RESOURCE_PATH}/`].includes(pathname);
};

/**
 * Returns the permissions that a `scope` parameter requests; all of them if it requests none. Ignores unknown scopes,
 * because clients also send scopes of other servers.
 */
const permissionsIn = (scope = ''): readonly string[] => {
  const words = scope.split(' ');
  const asked = OFFERED_PERMISSIONS.filter((permission) => words.includes(permission));
  return asked.length > 0 ? asked : OFFERED_PERMISSIONS;
};
