import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/tenants';
const NO_ADMIN = ['read', 'write', 'audit.read'];

/** Routes of the plugin `multi-tenant`. */
export const TENANT_ROWS: readonly RouteRow[] = [
  {
    route: `GET ${PATH}`,
    path: () => PATH,
    query: { status: 'status', cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: NO_ADMIN,
  },
  {
    route: `POST ${PATH}`,
    path: () => PATH,
    body: {
      valid: {
        id: '"mallory"',
        name: 'null',
        first_key: '{"raw_key":"a-first-key-0123456789abcdef0123456789","entity_uri":"agent:mallory"}',
      },
      kinds: { id: 'slug', name: 'note', first_key: 'attestation' },
      required: ['id', 'first_key'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 201,
    lacking: NO_ADMIN,
  },
  {
    route: `GET ${PATH}/:id`,
    path: () => `${PATH}/default`,
    parameter: (text) => `${PATH}/${text}`,
    accepts: 200,
    lacking: NO_ADMIN,
  },
  {
    route: `PATCH ${PATH}/:id`,
    path: () => `${PATH}/no-such-tenant`,
    parameter: (text) => `${PATH}/${text}`,
    body: {
      valid: { name: '"Another"', status: '"active"' },
      kinds: { name: 'note', status: 'role' },
      required: [],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: NO_ADMIN,
  },
  {
    route: `DELETE ${PATH}/:id`,
    path: () => `${PATH}/no-such-tenant`,
    parameter: (text) => `${PATH}/${text}`,
    body: {
      valid: { confirm: '"no-such-tenant"' },
      kinds: { confirm: 'filledText' },
      required: ['confirm'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: NO_ADMIN,
  },
  {
    route: `GET ${PATH}/:id/export`,
    path: () => `${PATH}/default/export`,
    parameter: (text) => `${PATH}/${text}/export`,
    accepts: 200,
    lacking: NO_ADMIN,
  },
];
