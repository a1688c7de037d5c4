import { objectSchema } from '../../kernel/internal-api.ts';
import {
  formatInstant,
  INSTANT_JSON,
  listOf,
  NO_BODY,
  objectOf,
  type Route,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { Grant } from './grant-row.ts';
import type { OAuthGrants } from './oauth-grants.ts';

const GRANT_JSON = objectOf({
  id: STRING_JSON,
  client_name: STRING_JSON,
  client_host: STRING_JSON,
  entity_uri: STRING_JSON,
  person_uri: STRING_JSON,
  permissions: listOf(STRING_JSON),
  allowed_scopes: listOf(STRING_JSON),
  gardens: listOf(STRING_JSON),
  created_at: INSTANT_JSON,
  expires_at: INSTANT_JSON,
});

/** Returns a grant as JSON. The client chose its name and host, which the node has not verified. */
export const grantJson = (grant: Grant) => ({
  id: grant.id,
  client_name: grant.clientName,
  client_host: grant.clientHost,
  entity_uri: grant.entityUri,
  person_uri: grant.personUri,
  permissions: grant.permissions,
  allowed_scopes: grant.scopes,
  gardens: grant.gardens,
  created_at: formatInstant(grant.createdMs),
  expires_at: formatInstant(grant.expiresMs),
});

/** `GET /v1/oauth/grants` */
export const listGrantsRoute = (grants: OAuthGrants): Route => ({
  method: 'GET',
  path: '/v1/oauth/grants',
  summary: 'Remote clients to which the caller gave access, newest first; for an admin all of the tenant',
  // Lists all of them.
  cost: 250,
  access: { permission: 'any' },
  answers: { 200: { json: objectOf({ grants: listOf(GRANT_JSON) }) } },
  example: {},
  handle: async ({ caller }) => ({ status: 200, body: { grants: (await grants.list(caller)).map(grantJson) } }),
});

/** `DELETE /v1/oauth/grants/{grant_id}` */
export const endGrantRoute = (grants: OAuthGrants): Route<{ grant_id: string }> => ({
  method: 'DELETE',
  path: '/v1/oauth/grants/:grant_id',
  summary: 'Ends the access of a remote client, at once: an own grant, or any of the tenant for an admin',
  access: { permission: 'any' },
  dimension: 'admin_action',
  params: objectSchema<{ grant_id: string }>({ grant_id: { type: 'string' } }),
  answers: { 204: NO_BODY },
  example: { params: { grant_id: '2b9e7c14-6d58-4a3f-b0c1-9e8d7f6a5b43' } },
  async handle({ caller, params }) {
    await grants.end(caller, params.grant_id);
    return { status: 204 };
  },
});
