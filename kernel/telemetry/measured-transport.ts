import type { Clock, InboundReply, OutboundRequest, Transport } from '../../ports/ports.ts';
import type { Telemetry } from './telemetry-api.ts';

const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;

/**
 * Measures outgoing calls and creates a span for each. The receiver can continue the trace, except at an address that a
 * client chose, which must not learn of it.
 */
export const measuredTransport = (transport: Transport, telemetry: Telemetry, clock: Clock): Transport => {
  const requests = telemetry.counter({
    name: 'outbound_requests_total',
    help: 'Calls to other services by what they are for, and how they ended: a class of status, or no answer',
    labels: ['purpose', 'result'],
  });
  const seconds = telemetry.histogram({
    name: 'outbound_request_seconds',
    help: 'Time from the begin of a call to another service to its answer',
    labels: ['purpose'],
    buckets: SECONDS,
  });
  const measured = async (request: OutboundRequest, sent: OutboundRequest): Promise<InboundReply> => {
    if (!requests.isHeard) return transport.send(sent);
    const { purpose = 'other' } = request;
    const begunMs = clock.monotonicMs();
    let result = 'no_answer';
    try {
      const reply = await transport.send(sent);
      result = `${Math.floor(reply.status / 100)}xx`;
      return reply;
    } finally {
      requests.add(1, { purpose, result });
      seconds.observe((clock.monotonicMs() - begunMs) / 1_000, { purpose });
    }
  };
  const traced = (request: OutboundRequest): Promise<InboundReply> => {
    const isTrusted = request.purpose !== undefined && request.purpose !== 'webhook';
    const { method } = request;
    const attributes = { 'http.request.method': method, ...(isTrusted && addressOf(request.url)) };
    return telemetry.span(method, { kind: 'client', attributes }, async (span) => {
      const headers = isTrusted ? { ...request.headers, ...span.headers() } : request.headers;
      const reply = await measured(request, { ...request, headers });
      span.set('http.response.status_code', reply.status);
      if (reply.status >= 400) span.fail(String(reply.status));
      return reply;
    });
  };
  return {
    serve: (options) => transport.serve(options),
    send: (request) => (telemetry.isTracing ? traced(request) : measured(request, request)),
    refusal: (url, rules) => transport.refusal(url, rules),
  };
};

const addressOf = (url: string): Readonly<Record<string, string | number>> => {
  if (!URL.canParse(url)) return {};
  const { hostname, port, protocol } = new URL(url);
  return { 'server.address': hostname, 'server.port': Number(port) || (protocol === 'https:' ? 443 : 80) };
};
