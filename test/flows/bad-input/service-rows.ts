import { type RouteRow, SMALL_BODY_BYTES, STANDARD_BODY_BYTES } from './route-row.ts';

const RAW_KEY = 'a-right-key-0123456789abcdef0123456789';
const PUBLIC_KEY = Buffer.alloc(32, 7).toString('base64url');

const LOG_FILTERS = { since: 'instant', until: 'instant', principal: 'filledText', event_type: 'word' } as const;

const ENTRY_FILTERS = {
  since: 'instant',
  until: 'instant',
  entity_uri: 'filledText',
  source: 'filledText',
  fact_id: 'filledText',
  oidc_sub: 'filledText',
  event_type: 'word',
  attested: 'boolean',
} as const;

/** Routes of the plugins `keys`, `oidc`, `audit`, `billing`, `metrics` and `node-info`. */
export const SERVICE_ROWS: readonly RouteRow[] = [
  { route: 'GET /.well-known/svc', path: () => '/.well-known/svc', accepts: 200, isOpen: true },
  { route: 'GET /healthz', path: () => '/healthz', accepts: 200, isOpen: true },
  { route: 'GET /readyz', path: () => '/readyz', accepts: 200, isOpen: true },
  {
    route: 'GET /.well-known/oauth-protected-resource',
    path: () => '/.well-known/oauth-protected-resource',
    accepts: 200,
    isOpen: true,
  },
  {
    // A body of the right form, whose token is none.
    route: 'POST /v1/auth/oidc/exchange',
    path: () => '/v1/auth/oidc/exchange',
    body: {
      valid: {
        id_token: '"no-token"',
        code: 'null',
        code_verifier: 'null',
        redirect_uri: 'null',
        permissions: '["read"]',
        client: '"laptop"',
      },
      kinds: {
        id_token: 'comparedText',
        code: 'filledText',
        code_verifier: 'filledText',
        redirect_uri: 'filledText',
        permissions: 'permissions',
        client: 'filledText',
      },
      required: [],
      maxBytes: SMALL_BODY_BYTES,
    },
    accepts: 401,
    isOpen: true,
  },
  { route: 'GET /v1/metrics', path: () => '/v1/metrics', accepts: 200, lacking: ['read', 'write'] },
  { route: 'GET /v1/me', path: () => '/v1/me', accepts: 200 },
  { route: 'GET /v1/me/limits', path: () => '/v1/me/limits', accepts: 200 },
  { route: 'GET /v1/auth/keys', path: () => '/v1/auth/keys', accepts: 200 },
  {
    route: 'POST /v1/auth/keys',
    path: () => '/v1/auth/keys',
    body: {
      valid: {
        raw_key: JSON.stringify(RAW_KEY),
        entity_uri: '"agent:mallory"',
        permissions: '["read"]',
        allowed_scopes: '["public"]',
        description: 'null',
        expires_at: 'null',
      },
      kinds: {
        raw_key: 'rawKey',
        entity_uri: 'uri',
        permissions: 'permissions',
        allowed_scopes: 'scopes',
        description: 'note',
        expires_at: 'expiry',
      },
      required: ['raw_key', 'entity_uri'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 201,
    lacking: ['read', 'write'],
  },
  {
    route: 'GET /v1/auth/keys/expiring-soon',
    path: () => '/v1/auth/keys/expiring-soon',
    query: { within_days: 'limit' },
    accepts: 200,
    lacking: ['read', 'write'],
  },
  {
    route: 'DELETE /v1/auth/keys/:id',
    path: () => '/v1/auth/keys/no-such-key',
    parameter: (text) => `/v1/auth/keys/${text}`,
    accepts: 404,
  },
  {
    route: 'POST /v1/auth/keys/:id/rotate',
    path: () => '/v1/auth/keys/no-such-key/rotate',
    parameter: (text) => `/v1/auth/keys/${text}/rotate`,
    body: {
      valid: { raw_key: JSON.stringify(RAW_KEY), overlap_s: '60' },
      kinds: { raw_key: 'rawKey', overlap_s: 'overlap' },
      required: ['raw_key'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
  },
  { route: 'GET /v1/auth/agent-keys', path: () => '/v1/auth/agent-keys', accepts: 200 },
  {
    route: 'POST /v1/auth/agent-keys',
    path: () => '/v1/auth/agent-keys',
    body: {
      valid: { public_key: JSON.stringify(PUBLIC_KEY), description: 'null' },
      kinds: { public_key: 'publicKey', description: 'note' },
      required: ['public_key'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 201,
    lacking: ['read', 'admin'],
  },
  {
    route: 'DELETE /v1/auth/agent-keys/:id',
    path: () => '/v1/auth/agent-keys/no-such-key',
    parameter: (text) => `/v1/auth/agent-keys/${text}`,
    accepts: 404,
  },
  {
    route: 'GET /v1/auth/audit',
    path: () => '/v1/auth/audit',
    query: { ...LOG_FILTERS, cursor: 'position', limit: 'largeLimit' },
    accepts: 200,
    lacking: ['read', 'write'],
  },
  {
    route: 'POST /v1/admin/reindex',
    path: () => '/v1/admin/reindex',
    body: {
      valid: { what: '["edges"]' },
      kinds: { what: 'permissions' },
      required: [],
      optional: true,
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 202,
    lacking: ['read', 'write', 'audit.read'],
  },
  {
    route: 'GET /v1/admin/reindex',
    path: () => '/v1/admin/reindex',
    accepts: 200,
    lacking: ['read', 'write', 'audit.read'],
  },
  {
    route: 'GET /v1/admin/audit',
    path: () => '/v1/admin/audit',
    query: { ...LOG_FILTERS, cursor: 'position', limit: 'largeLimit' },
    accepts: 200,
    lacking: ['read', 'admin'],
  },
  {
    route: 'GET /v1/audit',
    path: () => '/v1/audit',
    query: { ...ENTRY_FILTERS, cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: ['write'],
  },
  {
    route: 'GET /v1/audit/facts/:id',
    path: ({ factId }) => `/v1/audit/facts/${factId}`,
    parameter: (text) => `/v1/audit/facts/${text}`,
    findsNothing: true,
    accepts: 200,
    lacking: ['write'],
  },
  {
    route: 'GET /v1/audit/export',
    path: () => '/v1/audit/export',
    query: { ...ENTRY_FILTERS, format: 'status' },
    accepts: 200,
    lacking: ['write'],
  },
  {
    route: 'GET /v1/audit/verify',
    path: () => '/v1/audit/verify',
    query: { cursor: 'position' },
    accepts: 200,
    lacking: ['read', 'write'],
  },
  {
    route: 'GET /v1/admin/billing/events',
    path: () => '/v1/admin/billing/events',
    query: {
      event_type: 'word',
      entity_uri: 'filledText',
      since: 'instant',
      until: 'instant',
      cursor: 'cursor',
      limit: 'largeLimit',
      tenant_id: 'filledText',
    },
    accepts: 200,
    lacking: ['read', 'write'],
  },
];
