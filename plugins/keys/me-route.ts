import type { Route } from '../../kernel/plugin-api.ts';
import { CALLER_JSON, callerJson } from './key-json.ts';

/** `GET /v1/me`: the identity and the rights of the caller. */
export const meRoute = (): Route => ({
  method: 'GET',
  path: '/v1/me',
  summary: "The caller's identity and rights",
  access: { permission: 'any' },
  answers: { 200: { json: CALLER_JSON } },
  example: {},
  handle: ({ caller }) => ({ status: 200, body: callerJson(caller) }),
});
