export type SpanValue = string | number | boolean | readonly string[];
export type SpanAttributes = Readonly<Record<string, SpanValue | undefined>>;

/** The position of a span in W3C Trace Context. */
export interface SpanPlace {
  /** The trace id of 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** The span id of 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** The trace flags. Bit 0: whether the trace is recorded. */
  readonly traceFlags: number;
}

/** The parent span in another program, as received. */
export interface RemoteParent {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export interface SpanOptions {
  /**
   * The kind of the work. `server`: an inbound request; `client`: an outbound request; `consumer`: work from a queue;
   * `internal` (default): a part of other work.
   */
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  /** Attributes without a tenant's data, a text of a fact, or a credential. */
  readonly attributes?: SpanAttributes;
  /** Spans other than the parent that caused this one. */
  readonly links?: readonly SpanPlace[];
  /**
   * Parent from another program; an invalid one by W3C Trace Context is ignored. `none` begins a new trace. Without it
   * the active span is the parent.
   */
  readonly parent?: RemoteParent | 'none' | undefined;
}

/** A piece of work that is being recorded. */
export interface Span {
  /** The position of the span; undefined when nothing is recorded. */
  readonly place: SpanPlace | undefined;
  /** Renames the span, when a better name becomes known. */
  rename(name: string): void;
  set(name: string, value: SpanValue): void;
  /** Marks the work as failed although it does not throw. `kind` is a short code, never a text with data. */
  fail(kind: string): void;
  /** Returns `traceparent` and `tracestate` for a request of this work; empty when nothing is recorded. */
  headers(): Readonly<Record<string, string>>;
}

/** Records spans. Must not throw. */
export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
  activeSpan(): SpanPlace | undefined;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** The span for work without a tracer. */
export const UNRECORDED_SPAN: Span = Object.freeze({
  place: undefined,
  rename: () => {},
  set: () => {},
  fail: () => {},
  headers: () => NO_HEADERS,
});
