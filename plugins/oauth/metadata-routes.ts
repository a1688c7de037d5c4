import { type JsonSchema, listOf, objectOf, type Reply, type Route, STRING_JSON } from '../../kernel/plugin-api.ts';
import { OFFERED_PERMISSIONS, RESOURCE_PATH } from './authorization-request.ts';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';

/** The address of the document that the refusal of a request to `/v1/mcp` names. */
export const metadataUrlOf = (nodeUrl: string): string => `${nodeUrl}${RESOURCE_METADATA}${RESOURCE_PATH}`;

export interface MetadataParts {
  readonly nodeUrl: string;
  readonly registration: boolean;
  /** Whether another plugin describes the node as a resource at the root of the host. */
  readonly hasRootDocument: boolean;
}

/** The documents in which clients look for this server. Pages of every origin may read them. */
export const metadataRoutes = (parts: MetadataParts): Route[] => {
  const { nodeUrl, hasRootDocument } = parts;
  const server = serverMetadata(parts);
  return [
    resourceRoute(`${RESOURCE_METADATA}${RESOURCE_PATH}`, `${nodeUrl}${RESOURCE_PATH}`, nodeUrl),
    ...(hasRootDocument ? [] : [resourceRoute(RESOURCE_METADATA, nodeUrl, nodeUrl)]),
    documentRoute('/.well-known/oauth-authorization-server', 'Where remote clients ask for access (RFC 8414)', server),
    documentRoute('/.well-known/openid-configuration', 'The same document, where other clients look for it', server),
    documentRoute(JWKS_PATH, 'No keys: the tokens of this node are no signed documents', { keys: [] }),
  ];
};

const JWKS_PATH = '/oauth/jwks.json';

/** RFC 9728. */
const resourceRoute = (path: string, resource: string, nodeUrl: string): Route =>
  documentRoute(path, 'Which server gives access to this node (RFC 9728)', {
    resource,
    authorization_servers: [nodeUrl],
    scopes_supported: [...OFFERED_PERMISSIONS],
    bearer_methods_supported: ['header'],
    resource_documentation: `${nodeUrl}/spec`,
  });

/** RFC 8414. The members about id tokens are for clients that read the document at the path of OpenID Connect. */
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
