import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/namespaces';
const NO_ADMIN = ['read', 'write', 'audit.read'];

/** Routes of the plugin `namespaces`. */
export const NAMESPACE_ROWS: readonly RouteRow[] = [
  {
    route: `GET ${PATH}`,
    path: () => PATH,
    query: { cursor: 'cursor', limit: 'limit' },
    accepts: 200,
    lacking: NO_ADMIN,
  },
  {
    route: `PUT ${PATH}`,
    path: () => PATH,
    body: {
      valid: { pattern: '"user:mallory/*"', owners: '["agent:mallory"]' },
      kinds: { pattern: 'uri', owners: 'owners' },
      required: ['pattern', 'owners'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: NO_ADMIN,
  },
  {
    route: `DELETE ${PATH}`,
    path: () => PATH,
    query: { pattern: 'filledText' },
    baseQuery: 'pattern=user:nobody',
    accepts: 404,
    lacking: NO_ADMIN,
  },
];
