import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

/** Routes of the plugins `decay` and `synthesis`. */
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
];
