import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

/** Routes of the plugins `decay` and `synthesis`, and those of histories. */
export const DECAY_ROWS: readonly RouteRow[] = [
  {
    route: 'POST /v1/decay/sweep',
    path: () => '/v1/decay/sweep',
    query: { dry_run: 'boolean', scope: 'scope', ttl_seconds: 'age', min_confidence: 'share' },
    body: {
      valid: { dry_run: 'true', scope: '"public"', ttl_seconds: '60', min_confidence: '0.1' },
      kinds: { dry_run: 'boolean', scope: 'scope', ttl_seconds: 'age', min_confidence: 'confidence' },
      required: [],
      optional: true,
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['read', 'admin'],
  },
  {
    route: 'GET /v1/decay/jobs/:id',
    path: () => '/v1/decay/jobs/no-such-job',
    parameter: (text) => `/v1/decay/jobs/${text}`,
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/synthesis',
    path: () => '/v1/synthesis',
    query: {
      scope: 'scope',
      entity: 'filledText',
      min_confidence: 'share',
      include_expired: 'boolean',
      limit: 'largeLimit',
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/synthesis',
    path: () => '/v1/synthesis',
    body: {
      valid: { scope: '"public"', entity: '"user:a"', min_confidence: '0.1', include_expired: 'true', limit: '5' },
      kinds: {
        scope: 'scope',
        entity: 'optionalName',
        min_confidence: 'confidence',
        include_expired: 'boolean',
        limit: 'listSize',
      },
      required: [],
      optional: true,
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/scopes/:scope/synthesize',
    path: () => '/v1/scopes/public/synthesize',
    query: { entity: 'filledText', min_confidence: 'share', include_expired: 'boolean', limit: 'largeLimit' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/history/*entity_uri',
    path: () => '/v1/history/no-such-entity',
    parameter: (text) => `/v1/history/${text}`,
    findsNothing: true,
    query: { scope: 'scope', relation: 'filledText', fields: 'word', cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/facts/:id/history',
    path: ({ factId }) => `/v1/facts/${factId}/history`,
    parameter: (text) => `/v1/facts/${text}/history`,
    query: { fields: 'word', cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
];
