import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/relations';
const NO_ADMIN = ['read', 'write', 'audit.read'];

const BODY = {
  valid: { pattern: '"mallory:*"', values: '"many"', value_type: 'null' },
  kinds: { pattern: 'relation', values: 'scope', value_type: 'optionalName' },
  required: ['pattern', 'values'],
  maxBytes: STANDARD_BODY_BYTES,
} as const;

/** The routes of the plugin `relations`. PUT runs first, so each POST conflicts with its rule. */
export const RELATION_ROWS: readonly RouteRow[] = [
  { route: `GET ${PATH}`, path: () => PATH, accepts: 200, lacking: ['write', 'admin', 'audit.read'] },
  { route: `PUT ${PATH}`, path: () => PATH, body: BODY, accepts: 200, lacking: NO_ADMIN },
  { route: `POST ${PATH}`, path: () => PATH, body: BODY, accepts: 409, lacking: NO_ADMIN },
  {
    route: `DELETE ${PATH}`,
    path: () => PATH,
    query: { pattern: 'filledText' },
    baseQuery: 'pattern=nobody:*',
    accepts: 404,
    lacking: NO_ADMIN,
  },
];
