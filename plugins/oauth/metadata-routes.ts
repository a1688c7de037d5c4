import { type JsonSchema, listOf, objectOf, type Reply, type Route, STRING_JSON } from '../../kernel/plugin-api.ts';
import { OFFERED_PERMISSIONS, RESOURCE_PATH } from './authorization-request.ts';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** Returns the address of the resource metadata, which a 401 reply of `/v1/mcp` names. */
export const metadataUrlOf = (nodeUrl: string): string => `${nodeUrl}${RESOURCE_METADATA}${RESOURCE_PATH}`;

export interface MetadataParts {
  readonly nodeUrl: string;
  readonly registration: boolean;
  /** True if another plugin serves resource metadata at the root of the host. */
  readonly hasRootDocument: boolean;
  /** The identity provider whose access tokens the node accepts as well; undefined if it accepts none. */
  readonly accessTokenIssuer: string | undefined;
}

/**
 * Returns the routes of the documents by which clients discover the authorization server. Pages of every origin may
 * read them.
 */
export const metadataRoutes = (parts: MetadataParts): Route[] => {
  const { nodeUrl, hasRootDocument, accessTokenIssuer } = parts;
  const issuers = [nodeUrl, ...(accessTokenIssuer === undefined ? [] : [accessTokenIssuer])];
  const server = serverMetadata(parts);
  return [
    resourceRoute(`${RESOURCE_METADATA}${RESOURCE_PATH}`, `${nodeUrl}${RESOURCE_PATH}`, parts, issuers),
    ...(hasRootDocument ? [] : [resourceRoute(RESOURCE_METADATA, nodeUrl, parts, issuers)]),
    documentRoute('/.well-known/oauth-authorization-server', 'Names the endpoints for clients (RFC 8414)', server),
    documentRoute('/.well-known/openid-configuration', 'Names the endpoints at the path of OpenID Connect', server),
    documentRoute(JWKS_PATH, 'An empty key set, because no token of this node is signed', { keys: [] }),
  ];
};

const JWKS_PATH = '/oauth/jwks.json';

/** Serves the metadata of a protected resource (RFC 9728). Clients use the first listed server that they support. */
const resourceRoute = (path: string, resource: string, { nodeUrl }: MetadataParts, issuers: readonly string[]): Route =>
  documentRoute(path, 'Names the authorization servers of this node (RFC 9728)', {
    resource,
    authorization_servers: issuers,
    scopes_supported: [...OFFERED_PERMISSIONS],
    bearer_methods_supported: ['header'],
    resource_documentation: `${nodeUrl}/spec`,
  });

/**
 * Returns the metadata of the authorization server (RFC 8414). Its members about id tokens are for clients of OpenID
 * Connect.
 */
const serverMetadata = ({ nodeUrl, registration }: MetadataParts): Readonly<Record<string, unknown>> => ({
  issuer: nodeUrl,
  authorization_endpoint: `${nodeUrl}/oauth/authorize`,
  token_endpoint: `${nodeUrl}/oauth/token`,
  revocation_endpoint: `${nodeUrl}/oauth/revoke`,
  ...(registration && { registration_endpoint: `${nodeUrl}/oauth/register` }),
  jwks_uri: `${nodeUrl}${JWKS_PATH}`,
  scopes_supported: [...OFFERED_PERMISSIONS],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['none'],
  revocation_endpoint_auth_methods_supported: ['none'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: [],
});

const documentRoute = (path: string, summary: string, body: Readonly<Record<string, unknown>>): Route => ({
  method: 'GET',
  path,
  summary,
  access: 'open',
  answers: {
    200: { json: objectOf(Object.fromEntries(Object.entries(body).map(([name, value]) => [name, jsonOf(value)]))) },
  },
  example: {},
  handle: (): Reply => ({ status: 200, headers: { 'Access-Control-Allow-Origin': '*' }, body }),
});

const jsonOf = (value: unknown): JsonSchema => {
  if (typeof value === 'boolean') return { type: 'boolean' };
  return Array.isArray(value) ? listOf(STRING_JSON) : STRING_JSON;
};
