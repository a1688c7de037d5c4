import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  type Tracer as OtelApiTracer,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import type { Span, SpanOptions, SpanPlace, Tracer } from '../../kernel/internal-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { readTraceContext, traceHeaders } from './trace-context.ts';

const KINDS = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

/** Returns true if this process has an SDK. Without one the API makes only spans that are not recorded. */
export const hasSdk = (name: string): boolean =>
  isSpanContextValid(trace.getTracer(name).startSpan('is there an SDK', { root: true }).spanContext());

/** Records spans with the API of OpenTelemetry, for the SDK that the process has registered. */
export class OtelTracer implements Tracer {
  readonly #tracer: OtelApiTracer;

  constructor(name: string, version: string) {
    this.#tracer = trace.getTracer(name, version);
  }

  activeSpan(): SpanPlace | undefined {
    const place = trace.getActiveSpan()?.spanContext();
    return place !== undefined && isSpanContextValid(place) ? place : undefined;
  }

  span<T>(
    name: string,
    { kind = 'internal', attributes, links = [], parent }: SpanOptions,
    work: (span: Span) => T,
  ): T {
    const around = parentContext(parent);
    const options = {
      kind: KINDS[kind],
      attributes: (attributes ?? {}) as Attributes,
      links: links.map((place) => ({ context: place as SpanContext })),
    };
    const span = this.#tracer.startSpan(name, options, around);
    return context.with(trace.setSpan(around, span), () => settle(span, work));
  }
}

const parentContext = (parent: SpanOptions['parent']): Context => {
  if (parent === undefined) return context.active();
  const remote = parent === 'none' ? undefined : readTraceContext(parent);
  return remote === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, remote);
};

/** Runs the work, and ends the span afterwards. */
const settle = <T>(span: OtelSpan, work: (span: Span) => T): T => {
  let result: T;
  try {
    result = work(new RecordedSpan(span));
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
  if (!(result instanceof Promise)) {
    span.end();
    return result;
  }
  return result.then(
    (value: unknown) => {
      span.end();
      return value;
    },
    (error: unknown) => {
      endFailed(span, error);
      throw error;
    },
  ) as T;
};

/** Records only the code of an error, because its message may contain data. A refusal does not count as an error. */
const endFailed = (span: OtelSpan, error: unknown): void => {
  const isRefusal = error instanceof ServiceError && error.status < 500;
  span.setAttribute(
    'error.type',
    error instanceof ServiceError ? error.code : error instanceof Error ? error.name : '_OTHER',
  );
  if (!isRefusal) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
};

class RecordedSpan implements Span {
  readonly #span: OtelSpan;

  constructor(span: OtelSpan) {
    this.#span = span;
  }

  get place(): SpanPlace {
    return this.#span.spanContext();
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(name: string, value: Parameters<Span['set']>[1]): void {
    this.#span.setAttribute(name, typeof value === 'object' ? [...value] : value);
  }

  fail(kind: string): void {
    this.#span.setAttribute('error.type', kind);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  headers(): Readonly<Record<string, string>> {
    return traceHeaders(this.#span.spanContext());
  }
}
