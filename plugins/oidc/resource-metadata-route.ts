import { listOf, type NodeSelf, objectOf, orNull, type Route, STRING_JSON } from '../../kernel/plugin-api.ts';

export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

export interface NamedIssuers {
  /** The identity provider, which the document names first, because people sign in there. */
  readonly issuer: string;
  readonly clientId: string | null;
  /** Returns the issuers of further access tokens. */
  otherIssuers(): Promise<readonly string[]>;
}

/** `GET /.well-known/oauth-protected-resource` (RFC 9728): names the identity provider and other issuers of tokens. */
export const resourceMetadataRoute = (
  { nodeUrl }: NodeSelf,
  { issuer, clientId, otherIssuers }: NamedIssuers,
): Route => ({
  method: 'GET',
  path: RESOURCE_METADATA_PATH,
  summary: 'Which identity provider vouches for callers',
  access: 'open',
  answers: {
    200: {
      json: objectOf({
        resource: STRING_JSON,
        authorization_servers: listOf(STRING_JSON),
        bearer_methods_supported: listOf(STRING_JSON),
        resource_documentation: STRING_JSON,
        client_id: orNull(STRING_JSON),
      }),
    },
  },
  example: {},
  handle: async () => ({
    status: 200,
    body: {
      resource: nodeUrl,
      authorization_servers: [issuer, ...(await otherIssuers())],
      bearer_methods_supported: ['header'],
      resource_documentation: `${nodeUrl}/spec`,
      // An addition to the RFC: the client with which people sign in.
      client_id: clientId,
    },
  }),
});
