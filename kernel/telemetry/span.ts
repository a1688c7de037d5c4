export type SpanValue = string | number | boolean | readonly string[];
export type SpanAttributes = Readonly<Record<string, SpanValue | undefined>>;

/** Where a span is in the world: the W3C Trace Context of it. */
export interface SpanPlace {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** 16 lower-case hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: whether the trace is recorded. */
  readonly traceFlags: number;
}

/** How another program names the span that caused this one, as it was received. */
export interface RemoteParent {
  readonly traceparent: string;
  readonly tracestate?: string | undefined;
}

export interface SpanOptions {
  /**
   * `server`: a request came in; `client`: a request goes out; `consumer`: work that was queued before; `internal`
   * (default): a part of other work.
   */
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  /** Never hold a tenant's data, a text of a fact or a credential. */
  readonly attributes?: SpanAttributes;
  /** Spans that caused this one beside its parent. */
  readonly links?: readonly SpanPlace[];
  /**
   * Parent from another program; what is not valid by W3C Trace Context is ignored. `none` begins a trace of its own.
   * Without it the active span is the parent.
   */
  readonly parent?: RemoteParent | 'none' | undefined;
}

/** A piece of work under way. */
export interface Span {
  /** Undefined where nothing is recorded. */
  readonly place: SpanPlace | undefined;
  /** A better name, when it is known only now. */
  rename(name: string): void;
  set(name: string, value: SpanValue): void;
  /** Marks the work as failed although it does not throw. `kind` is a short code, never a text with data. */
  fail(kind: string): void;
  /** `traceparent` and `tracestate` for a request that this work sends; empty where nothing is recorded. */
  headers(): Readonly<Record<string, string>>;
}

/** Records spans. Must not throw. */
export interface Tracer {
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
  activeSpan(): SpanPlace | undefined;
}

const NO_HEADERS: Readonly<Record<string, string>> = Object.freeze({});

/** What work gets while nobody traces. */
export const UNRECORDED_SPAN: Span = Object.freeze({
  place: undefined,
  rename: () => {},
  set: () => {},
  fail: () => {},
  headers: () => NO_HEADERS,
});
