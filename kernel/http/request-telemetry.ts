import { type InboundRequest, type OutboundReply, ServiceError } from '../../ports/ports.ts';
import { type RemoteParent, type Span, UNRECORDED_SPAN } from '../telemetry/span.ts';
import type { Telemetry } from '../telemetry/telemetry-api.ts';

/** The bucket limits in seconds, from a cached answer to the longest that clients wait. */
const DURATIONS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** The maximum number of series, above the combinations of routes, methods and status classes of a node. */
const MOST_SERIES = 1_500;
const MOST_CODES = 300;
/** The label of a request without a matching route. */
const NO_ROUTE = 'none';

/** Records metrics and a span for every request. */
export class RequestTelemetry {
  readonly #telemetry: Telemetry;
  readonly #requests;
  readonly #seconds;
  readonly #received;
  readonly #sent;
  readonly #refusals;

  constructor(telemetry: Telemetry) {
    this.#telemetry = telemetry;
    this.#requests = telemetry.counter({
      name: 'http_requests_total',
      help: 'Requests that were answered, by the pattern of the route and the class of the status',
      labels: ['method', 'route', 'status'],
      maxSeries: MOST_SERIES,
    });
    this.#seconds = telemetry.histogram({
      name: 'http_request_seconds',
      help: 'Time from the headers of a request to its answer; what is streamed comes after it',
      labels: ['method', 'route'],
      buckets: DURATIONS,
      maxSeries: MOST_SERIES,
    });
    this.#received = telemetry.counter({
      name: 'http_received_bytes_total',
      help: 'Bytes of bodies of requests, as their headers say',
      labels: ['route'],
      maxSeries: MOST_SERIES,
    });
    this.#sent = telemetry.counter({
      name: 'http_sent_bytes_total',
      help: 'Bytes of bodies of answers, without those that are streamed',
      labels: ['route'],
      maxSeries: MOST_SERIES,
    });
    this.#refusals = telemetry.counter({
      name: 'http_refusals_total',
      help: 'Requests that were answered with an error, by its code: credentials, quotas and permissions among them',
      labels: ['code'],
      maxSeries: MOST_CODES,
    });
  }

  /** Runs `work` in the span of the request. Without a tracer there is no span. */
  span<T>(request: InboundRequest, route: string | null, work: (span: Span) => Promise<T>): Promise<T> {
    if (!this.#telemetry.isTracing) return work(UNRECORDED_SPAN);
    const method = METHODS.has(request.method) ? request.method : '_OTHER';
    const name = `${method === '_OTHER' ? 'HTTP' : method}${route === null ? '' : ` ${route}`}`;
    const attributes = { 'http.request.method': method, 'http.route': route ?? undefined };
    return this.#telemetry.span(name, { kind: 'server', attributes, parent: parentOf(request) }, work);
  }

  answered(request: InboundRequest, path: string | null, reply: OutboundReply, tookMs: number, span: Span): void {
    if (span.place !== undefined) {
      span.set('http.response.status_code', reply.status);
      if (reply.status >= 500) span.fail(String(reply.status));
    }
    if (!this.#requests.isHeard) return;
    const route = path ?? NO_ROUTE;
    const method = METHODS.has(request.method) ? request.method : 'other';
    this.#requests.add(1, { method, route, status: `${Math.floor(reply.status / 100)}xx` });
    this.#seconds.observe(tookMs / 1_000, { method, route });
    const received = Number(request.header('content-length') ?? 0);
    if (received > 0) this.#received.add(received, { route });
    const sent = sizeOf(reply.body);
    if (sent > 0) this.#sent.add(sent, { route });
  }

  refused(error: unknown): void {
    if (!this.#refusals.isHeard) return;
    this.#refusals.add(1, { code: error instanceof ServiceError ? error.code : 'internal' });
  }
}

const sizeOf = (body: OutboundReply['body']): number => {
  if (typeof body === 'string') return Buffer.byteLength(body);
  return body instanceof Uint8Array ? body.byteLength : 0;
};

const parentOf = (request: InboundRequest): RemoteParent | 'none' => {
  const traceparent = request.header('traceparent');
  // Ignores two headers, which are ambiguous, and begins a new trace.
  if (traceparent === undefined || request.headerCount('traceparent') > 1) return 'none';
  return { traceparent, tracestate: request.header('tracestate') };
};
