import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const NOBODY = 'agent:nobody';

const HELD_BODY = {
  required: [],
  optional: true,
  free: ['reason'],
  maxBytes: STANDARD_BODY_BYTES,
} as const;

/** Routes of the plugin `gardens`. */
export const GARDEN_ROWS: readonly RouteRow[] = [
  { route: 'GET /v1/gardens', path: () => '/v1/gardens', accepts: 200, lacking: ['write', 'admin'] },
  {
    route: 'POST /v1/gardens',
    path: () => '/v1/gardens',
    body: {
      valid: { slug: '"herbs"', name: '"Herbs"', scope: '"company"', description: 'null', quarantine: 'false' },
      kinds: { slug: 'slug', name: 'filledText', scope: 'scope', description: 'note', quarantine: 'boolean' },
      required: ['slug', 'name'],
      free: ['name', 'description'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 201,
    lacking: ['read', 'admin'],
  },
  {
    route: 'GET /v1/gardens/*garden',
    path: () => '/v1/gardens/no-such-garden',
    parameter: (text) => `/v1/gardens/${text}`,
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: 'DELETE /v1/gardens/*garden',
    path: () => '/v1/gardens/no-such-garden',
    parameter: (text) => `/v1/gardens/${text}`,
    accepts: 404,
    lacking: ['read', 'federate'],
  },
  {
    route: 'GET /v1/gardens/*garden/members',
    path: () => '/v1/gardens/no-such-garden/members',
    parameter: (text) => `/v1/gardens/${text}/members`,
    accepts: 404,
  },
  {
    route: 'POST /v1/gardens/*garden/members',
    path: () => '/v1/gardens/no-such-garden/members',
    parameter: (text) => `/v1/gardens/${text}/members`,
    body: {
      valid: { entity_uri: `"${NOBODY}"`, role: '"reader"' },
      kinds: { entity_uri: 'uri', role: 'role' },
      required: ['entity_uri'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
  },
  {
    route: 'PATCH /v1/gardens/:garden/members/*entity_uri',
    path: () => `/v1/gardens/no-such-garden/members/${NOBODY}`,
    parameter: (text) => `/v1/gardens/no-such-garden/members/${text}`,
    body: {
      valid: { role: '"reader"' },
      kinds: { role: 'role' },
      required: ['role'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
  },
  {
    route: 'DELETE /v1/gardens/:garden/members/*entity_uri',
    path: () => `/v1/gardens/no-such-garden/members/${NOBODY}`,
    parameter: (text) => `/v1/gardens/no-such-garden/members/${text}`,
    accepts: 404,
  },
  {
    route: 'POST /v1/gardens/*garden/promote',
    path: () => '/v1/gardens/no-such-garden/promote',
    parameter: (text) => `/v1/gardens/${text}/promote`,
    body: {
      valid: { fact_id: '"no-such-fact"', target_garden_id: 'null', reason: 'null' },
      kinds: { fact_id: 'filledText', target_garden_id: 'garden', reason: 'note' },
      required: ['fact_id'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: ['read', 'admin'],
  },
  {
    route: 'POST /v1/gardens/*garden/reject',
    path: () => '/v1/gardens/no-such-garden/reject',
    parameter: (text) => `/v1/gardens/${text}/reject`,
    body: {
      valid: { fact_id: '"no-such-fact"', reason: 'null' },
      kinds: { fact_id: 'filledText', reason: 'note' },
      required: ['fact_id'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: ['read', 'admin'],
  },
  {
    route: 'GET /v1/quarantine',
    path: () => '/v1/quarantine',
    query: { garden_id: 'garden', quarantine_status: 'status', limit: 'largeLimit', offset: 'position' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/quarantine/:fact_id/admit',
    path: () => '/v1/quarantine/no-such-fact/admit',
    parameter: (text) => `/v1/quarantine/${text}/admit`,
    query: { target_garden_id: 'garden', reason: 'text' },
    body: {
      ...HELD_BODY,
      valid: { target_garden_id: 'null', reason: 'null' },
      kinds: { target_garden_id: 'garden', reason: 'note' },
    },
    accepts: 404,
    lacking: ['read', 'admin'],
  },
  {
    route: 'POST /v1/quarantine/:fact_id/reject',
    path: () => '/v1/quarantine/no-such-fact/reject',
    parameter: (text) => `/v1/quarantine/${text}/reject`,
    query: { reason: 'text' },
    body: { ...HELD_BODY, valid: { reason: 'null' }, kinds: { reason: 'note' } },
    accepts: 404,
    lacking: ['read', 'admin'],
  },
];
