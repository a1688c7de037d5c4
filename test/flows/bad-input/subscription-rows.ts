import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/subscriptions';
const one = (text: string, rest = ''): string => `${PATH}/${text}${rest}`;

/**
 * Routes of the plugin `subscriptions`. The valid request has no token, so its status shows that earlier checks passed.
 */
export const SUBSCRIPTION_ROWS: readonly RouteRow[] = [
  {
    route: `POST ${PATH}`,
    path: () => PATH,
    body: {
      valid: {
        target: '"user:a"',
        target_type: '"entity"',
        on_change: '"webhook"',
        webhook_url: '"https://hooks.example/in"',
        idempotency_key: '"one"',
        event_types: '["fact_asserted"]',
        capability_token: 'null',
      },
      kinds: {
        target: 'uri',
        target_type: 'writeMode',
        on_change: 'writeMode',
        webhook_url: 'comparedText',
        delivery_address: 'comparedText',
        idempotency_key: 'optionalName',
        event_types: 'permissions',
        capability_token: 'comparedText',
      },
      required: ['target', 'on_change', 'webhook_url'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 403,
    lacking: ['write', 'admin'],
  },
  { route: `GET ${PATH}`, path: () => PATH, accepts: 200, lacking: ['write', 'admin'] },
  {
    route: `GET ${PATH}/:id`,
    path: () => one('no-such-subscription'),
    parameter: (text) => one(text),
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: `DELETE ${PATH}/:id`,
    path: () => one('no-such-subscription'),
    parameter: (text) => one(text),
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: `POST ${PATH}/:id/rotate-secret`,
    path: () => one('no-such-subscription', '/rotate-secret'),
    parameter: (text) => one(text, '/rotate-secret'),
    body: {
      valid: { overlap_s: '60' },
      kinds: { overlap_s: 'overlap' },
      required: [],
      optional: true,
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: `GET ${PATH}/:id/events`,
    path: () => one('no-such-subscription', '/events'),
    parameter: (text) => one(text, '/events'),
    query: { after: 'text', since: 'instant', cursor: 'cursor', limit: 'limit' },
    accepts: 404,
    lacking: ['write', 'admin'],
  },
  {
    route: `GET ${PATH}/:id/stream`,
    path: () => one('no-such-subscription', '/stream'),
    parameter: (text) => one(text, '/stream'),
    query: { after: 'text' },
    accepts: 404,
    lacking: ['write', 'admin'],
  },
];
