import { DEFAULT_TENANT, type Principal, type Route, ServiceError } from '../../kernel/plugin-api.ts';
import { AUDIT_READ } from '../audit/audit-api.ts';
import { CONTENT_TYPES, type Format } from './exposition.ts';
import type { NodeMetrics } from './node-metrics.ts';

/** `GET /v1/metrics`: only members of the operator's tenant may read it, because the numbers cover all tenants. */
export const metricsRoute = (metrics: NodeMetrics, hasAuditors: boolean): Route => ({
  method: 'GET',
  path: '/v1/metrics',
  summary: 'Metrics of the node for Prometheus, or as OpenMetrics for a client that accepts it',
  access: { permission: hasAuditors ? ['admin', AUDIT_READ] : 'admin' },
  answers: { 200: { text: ['text/plain', 'application/openmetrics-text'] } },
  example: {},
  async handle({ caller, header }) {
    requireOperator(caller);
    const format = formatOf(header('accept'));
    return { status: 200, contentType: CONTENT_TYPES[format], text: await metrics.text(format) };
  },
});

const requireOperator = ({ kind, tenantId }: Principal): void => {
  if (kind !== 'node' && tenantId !== DEFAULT_TENANT) {
    throw new ServiceError('authorization', `the metrics of a node are shown to the tenant ${DEFAULT_TENANT} alone`);
  }
};

/** OpenMetrics if accepted, because Prometheus prefers it. */
const formatOf = (accept: string | undefined): Format =>
  accept !== undefined && OPENMETRICS.test(accept) ? 'openmetrics' : 'prometheus';

const OPENMETRICS = /(?:^|,)\s*application\/openmetrics-text\s*(?:;(?!\s*q=0(?:\.0*)?\s*(?:,|$))[^,]*)?(?:,|$)/i;
