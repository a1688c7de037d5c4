import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/tombstones';
const NO_ADMIN = ['read', 'write', 'audit.read'];

/** Routes of the plugin `tombstones`. */
export const TOMBSTONE_ROWS: readonly RouteRow[] = [
  {
    route: `POST ${PATH}`,
    path: () => PATH,
    body: {
      valid: { entity_uri: '"user:gone"', scope: '"*"' },
      kinds: { entity_uri: 'uri', scope: 'scope', reason: 'note', legal_hold: 'boolean' },
      required: ['entity_uri'],
      free: [],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 201,
    lacking: NO_ADMIN,
  },
  {
    route: `GET ${PATH}`,
    path: () => PATH,
    query: { cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: NO_ADMIN,
  },
  {
    route: `GET ${PATH}/*entity_uri`,
    path: () => `${PATH}/user:gone`,
    parameter: (text) => `${PATH}/${text}`,
    accepts: 200,
    lacking: NO_ADMIN,
    findsNothing: true,
  },
  {
    route: `POST ${PATH}/:id/revoke`,
    path: () => `${PATH}/tomb_none/revoke`,
    parameter: (text) => `${PATH}/${text}/revoke`,
    body: {
      valid: { reason: '"a mistake"' },
      kinds: { reason: 'filledText' },
      required: ['reason'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: NO_ADMIN,
  },
  {
    route: `POST ${PATH}/:id/erase`,
    path: () => `${PATH}/tomb_none/erase`,
    parameter: (text) => `${PATH}/${text}/erase`,
    body: {
      valid: { confirm: '"user:gone"' },
      kinds: { confirm: 'note', dry_run: 'boolean' },
      required: ['confirm'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: NO_ADMIN,
  },
  {
    route: 'POST /v1/subjects/export',
    path: () => '/v1/subjects/export',
    body: {
      valid: { entity_uri: '"user:alice"' },
      kinds: { entity_uri: 'uri', about: 'boolean', asserted_by: 'boolean' },
      required: ['entity_uri'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: NO_ADMIN,
  },
  { route: 'GET /v1/federation/tombstones', path: () => '/v1/federation/tombstones', accepts: 401, isForPeers: true },
];
