import type { BodyModel } from './hostile-bodies.ts';
import { BULK_BODY_BYTES, type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const ASSERTION: BodyModel = {
  valid: {
    entity: '"user:mallory"',
    relation: '"memory:note"',
    value: '{"type":"string","v":"a note"}',
    source: '"agent:mallory"',
    confidence: '0.5',
    scope: '"company"',
    valid_from: 'null',
    valid_until: 'null',
    timestamp: 'null',
    write_mode: '"assert"',
    derived_from: '[]',
    attestation: 'null',
    garden_id: 'null',
    session_id: 'null',
    tenant_id: '"other"',
  },
  kinds: {
    entity: 'uri',
    relation: 'relation',
    value: 'value',
    source: 'uri',
    confidence: 'confidence',
    scope: 'scope',
    valid_from: 'instant',
    valid_until: 'instant',
    timestamp: 'instant',
    write_mode: 'writeMode',
    derived_from: 'references',
    attestation: 'attestation',
    garden_id: 'garden',
    session_id: 'comparedText',
  },
  required: ['entity', 'relation', 'value', 'source'],
  free: ['entity', 'source'],
  maxBytes: STANDARD_BODY_BYTES,
};

const LONG_SESSION: readonly [string, string] = ['Svc-Session', 's'.repeat(129)];
const BAD_IDEMPOTENCY_KEYS = ['k'.repeat(256), 'a b', 'k\x01', 'k\u00e9'].map((value): readonly [string, string] => [
  'Idempotency-Key',
  value,
]);

const aFact =
  (suffix = '') =>
  (text: string): string =>
    `/v1/facts/${text}${suffix}`;

/** Routes of the plugins `facts` and `conflicts`. */
export const FACT_ROWS: readonly RouteRow[] = [
  {
    route: 'POST /v1/facts',
    path: () => '/v1/facts',
    body: ASSERTION,
    accepts: 201,
    lacking: ['read', 'admin'],
    badHeaders: [LONG_SESSION, ...BAD_IDEMPOTENCY_KEYS],
  },
  {
    route: 'POST /v1/facts/batch',
    path: () => '/v1/facts/batch',
    body: { ...ASSERTION, isList: true, maxBytes: BULK_BODY_BYTES },
    accepts: 200,
    lacking: ['read', 'admin'],
    badHeaders: [LONG_SESSION, ...BAD_IDEMPOTENCY_KEYS],
  },
  {
    route: 'GET /v1/facts',
    path: () => '/v1/facts',
    query: {
      entity: 'text',
      relation: 'text',
      source: 'text',
      scope: 'scope',
      min_confidence: 'share',
      include_contradicted: 'boolean',
      include_expired: 'boolean',
      include_retracted: 'boolean',
      after: 'instant',
      garden_id: 'garden',
      attested: 'boolean',
      session: 'filledText',
      fields: 'word',
      as_of: 'instant',
      valid_at: 'instant',
      cursor: 'cursor',
      limit: 'limit',
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/entities/kinds',
    path: () => '/v1/entities/kinds',
    query: { cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/facts/:id',
    path: ({ factId }) => aFact()(factId),
    parameter: aFact(),
    query: { fields: 'word', as_of: 'instant' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/facts/:id/provenance',
    path: ({ factId }) => aFact('/provenance')(factId),
    parameter: aFact('/provenance'),
    query: { depth: 'limit', as_of: 'instant' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/facts/:id/verify-cid',
    path: ({ factId }) => aFact('/verify-cid')(factId),
    parameter: aFact('/verify-cid'),
    body: {
      valid: { cid: 'null' },
      kinds: { cid: 'comparedText' },
      required: [],
      free: ['cid'],
      optional: true,
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'GET /v1/admin/cid-backfill/status',
    path: () => '/v1/admin/cid-backfill/status',
    accepts: 200,
    lacking: ['read', 'write'],
  },
  {
    route: 'GET /v1/conflicts',
    path: () => '/v1/conflicts',
    query: { status: 'status', cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/conflicts/*id/resolve',
    path: ({ conflictId }) => `/v1/conflicts/${conflictId}/resolve`,
    parameter: (text) => `/v1/conflicts/${text}/resolve`,
    body: {
      valid: { resolution_note: '"settled"', new_value: '{"type":"string","v":"the answer"}' },
      kinds: { resolution_note: 'note', new_value: 'replacement' },
      required: ['new_value'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['read', 'admin'],
  },
];
