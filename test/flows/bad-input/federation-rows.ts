import { BULK_BODY_BYTES, type RouteRow, SMALL_BODY_BYTES, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/federation';

/** Routes of the plugin `federation`, which is disabled here, so even valid requests are refused. */
export const FEDERATION_ROWS: readonly RouteRow[] = [
  {
    route: `POST ${PATH}/declarations`,
    path: () => `${PATH}/declarations`,
    body: {
      valid: { peer: '"svc://node.beta.example"' },
      kinds: { peer: 'uri', allowed_scopes: 'scopes', direction: 'role', may_end_others: 'boolean' },
      required: ['peer'],
      free: ['peer'],
      maxBytes: SMALL_BODY_BYTES,
    },
    accepts: 403,
    lacking: ['read', 'federate'],
  },
  {
    route: `POST ${PATH}/peers`,
    path: () => `${PATH}/peers`,
    query: { code: 'text' },
    body: {
      valid: {
        declaring_node_id: '"svc://node.beta.example"',
        signed_at: JSON.stringify(new Date()),
        declaration_sig: `"${'A'.repeat(86)}"`,
      },
      kinds: {
        declaring_node_id: 'uri',
        target_node_id: 'uri',
        allowed_scopes: 'scopes',
        direction: 'role',
        signed_at: 'instant',
        declaration_sig: 'publicKey',
        node_url: 'optionalName',
        federation_pubkey: 'publicKey',
      },
      required: ['declaring_node_id', 'signed_at', 'declaration_sig'],
      free: ['declaring_node_id', 'direction', 'node_url'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 403,
    lacking: ['read', 'admin'],
  },
  { route: `GET ${PATH}/peers`, path: () => `${PATH}/peers`, accepts: 200, lacking: ['read', 'admin'] },
  {
    route: `DELETE ${PATH}/peers/:peer_id`,
    path: () => `${PATH}/peers/no-such-peer`,
    parameter: (text) => `${PATH}/peers/${text}`,
    accepts: 404,
    lacking: ['write', 'federate'],
  },
  {
    route: `GET ${PATH}/peers/:peer_id/lag`,
    path: () => `${PATH}/peers/no-such-peer/lag`,
    parameter: (text) => `${PATH}/peers/${text}/lag`,
    accepts: 404,
    lacking: ['read', 'admin'],
  },
  {
    route: `GET ${PATH}/audit`,
    path: () => `${PATH}/audit`,
    query: { peer_id: 'text', event_type: 'text', cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: ['read', 'audit.read'],
  },
  { route: `GET ${PATH}/facts`, path: () => `${PATH}/facts`, accepts: 401, isForPeers: true },
  {
    route: `POST ${PATH}/facts/push`,
    path: () => `${PATH}/facts/push`,
    body: { valid: { facts: '[]' }, kinds: {}, required: ['facts'], maxBytes: BULK_BODY_BYTES },
    accepts: 401,
    isForPeers: true,
  },
];
