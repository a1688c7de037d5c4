import type { Route, ServiceNames } from '../../kernel/plugin-api.ts';
import type { NodeInfo } from './node-info-api.ts';
import { HEALTHY_JSON, METADATA_JSON, READY_JSON, UNHEALTHY_JSON } from './node-info-json.ts';

/** `GET /.well-known/<name>`. */
export const metadataRoute = (info: NodeInfo, names: ServiceNames): Route => ({
  method: 'GET',
  path: names.metadataPath,
  summary: 'Node metadata',
  access: 'open',
  answers: { 200: { json: METADATA_JSON } },
  example: {},
  handle: async () => ({ status: 200, body: await info.metadata() }),
});

/** `GET /healthz`. Both bodies are fixed; details go to the log. */
export const healthRoute = (info: NodeInfo): Route => ({
  method: 'GET',
  path: '/healthz',
  summary: 'Whether the node can serve and store',
  access: 'open',
  answers: { 200: { json: HEALTHY_JSON }, 503: { json: UNHEALTHY_JSON } },
  example: {},
  handle: async () =>
    (await info.isHealthy())
      ? { status: 200, body: { status: 'ok' } }
      : { status: 503, body: { status: 'unavailable' } },
});

/** `GET /readyz`. Fails while the node stops, before it refuses connections. Both bodies are fixed. */
export const readinessRoute = (info: NodeInfo): Route => ({
  method: 'GET',
  path: '/readyz',
  summary: 'Whether requests should be sent to this process',
  access: 'open',
  answers: { 200: { json: READY_JSON }, 503: { json: UNHEALTHY_JSON } },
  example: {},
  handle: async () =>
    (await info.isReady())
      ? { status: 200, body: { status: 'ready' } }
      : { status: 503, body: { status: 'unavailable' } },
});
