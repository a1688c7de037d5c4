import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

/** Routes of the plugins `lint` and `upkeep`. */
export const UPKEEP_ROWS: readonly RouteRow[] = [
  {
    route: 'GET /v1/lint',
    path: () => '/v1/lint',
    query: {
      scope: 'scope',
      checks: 'text',
      entity: 'filledText',
      relation: 'filledText',
      stale_lookahead_s: 'position',
    },
    repeated: ['checks'],
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/lint',
    path: () => '/v1/lint',
    body: {
      valid: { scope: '"public"', checks: '["stale"]' },
      kinds: {
        scope: 'scope',
        checks: 'checks',
        entity: 'optionalName',
        relation: 'optionalName',
        stale_lookahead_s: 'lookahead',
      },
      required: ['scope'],
      free: ['entity'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/lint/jobs/:id',
    path: () => '/v1/lint/jobs/no-such-job',
    parameter: (text) => `/v1/lint/jobs/${text}`,
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/upkeep',
    path: () => '/v1/upkeep',
    accepts: 200,
    lacking: ['read', 'write'],
  },
  {
    route: 'POST /v1/upkeep/:task/run',
    path: () => '/v1/upkeep/no-such-task/run',
    parameter: (text) => `/v1/upkeep/${text}/run`,
    accepts: 404,
    lacking: ['read', 'write'],
  },
];
