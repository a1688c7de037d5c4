import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const PATH = '/v1/federation/capability-tokens';

/** Routes of the plugin `capability-tokens`. */
export const CAPABILITY_ROWS: readonly RouteRow[] = [
  {
    route: `POST ${PATH}`,
    path: () => PATH,
    body: {
      valid: {
        issuer: '"agent:everything"',
        subject: '"agent:mallory"',
        verb: '"subscribe"',
        object: '"user:a"',
      },
      kinds: {
        issuer: 'uri',
        subject: 'uri',
        verb: 'writeMode',
        object: 'uri',
        expiry: 'expiry',
        ttl_seconds: 'lifetime',
      },
      required: ['issuer', 'subject', 'verb', 'object'],
      free: ['subject', 'object'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 201,
    lacking: ['read', 'admin'],
  },
  {
    route: `GET ${PATH}`,
    path: () => PATH,
    query: { cursor: 'cursor', limit: 'largeLimit' },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: `POST ${PATH}/verify`,
    path: () => `${PATH}/verify`,
    body: {
      valid: { token_json: '"{}"' },
      kinds: { token_json: 'filledText' },
      required: ['token_json'],
      free: ['token_json'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: `POST ${PATH}/:token_id/revoke`,
    path: () => `${PATH}/no-such-token/revoke`,
    parameter: (text) => `${PATH}/${text}/revoke`,
    body: {
      valid: { reason: 'null' },
      kinds: { reason: 'note' },
      required: [],
      optional: true,
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 404,
    lacking: ['read', 'admin'],
  },
];
