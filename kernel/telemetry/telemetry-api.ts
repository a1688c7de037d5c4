import { defineRef } from '../../ports/ports.ts';
import type { Awaitable } from '../time/awaitable.ts';
import type { Span, SpanOptions, SpanPlace, Tracer } from './span.ts';

/** The label values by name. The type refuses labels that the instrument does not declare. */
export type Labels<L extends string = string> = Readonly<Record<L, string>>;

/** Name and meaning of an instrument, for the reference page and each scrape. */
export interface InstrumentDeclaration<L extends string = string> {
  /**
   * `<plugin>_<what>_<unit>` in lower case, without the name of the service, which is put before it. The units are
   * those of Prometheus: `_total` ends a counter, `_seconds` and `_bytes` are measures; a plain gauge has none.
   */
  readonly name: string;
  /** The meaning, as one sentence without a full stop. */
  readonly help: string;
  /**
   * Names of labels. Their values come from a small fixed set: never a tenant, an entity, an id or a foreign text. A
   * route is named by its pattern.
   */
  readonly labels?: readonly L[];
  /**
   * The maximum number of label combinations that are counted separately; all others count as `other`. Default: 100.
   */
  readonly maxSeries?: number;
}

export interface HistogramDeclaration<L extends string = string> extends InstrumentDeclaration<L> {
  /** The upper limits of the buckets, ascending, in the unit of the name. */
  readonly buckets: readonly number[];
}

export interface GaugeDeclaration<L extends string = string> extends InstrumentDeclaration<L> {
  /**
   * `process` (default): each process of the node has its own value. `store`: all processes read the same value from
   * the store, so that it is shown once.
   */
  readonly of?: 'process' | 'store';
}

/** An amount that only grows. */
export interface Counter<L extends string = string> {
  /** Whether a meter is attached. Callers may skip work that only serves `add`. */
  readonly isHeard: boolean;
  /** Adds `amount`, by default 1. */
  add(amount?: number, labels?: Labels<L>): void;
}

/** A distribution of values over ranges. */
export interface Histogram<L extends string = string> {
  /** Whether a meter is attached. Callers may skip work that only serves `observe`. */
  readonly isHeard: boolean;
  observe(value: number, labels?: Labels<L>): void;
}

/** One value of a gauge. */
export interface Reading<L extends string = string> {
  readonly value: number;
  readonly labels?: Labels<L>;
}

/** Returns the values of a gauge: a number, or one reading for each combination of labels. */
export type ReadGauge<L extends string = string> = () => Awaitable<number | readonly Reading<L>[]>;

/** A declared instrument. */
export type Instrument =
  | (InstrumentDeclaration & { readonly kind: 'counter' })
  | (HistogramDeclaration & { readonly kind: 'histogram' })
  | (GaugeDeclaration & { readonly kind: 'gauge'; readonly read: ReadGauge });

/** Receives values of counters and histograms. Called on the hot path: it must be quick and must not throw. */
export interface Meter {
  add(instrument: Instrument, amount: number, labels: Labels | undefined): void;
  observe(instrument: Instrument, value: number, labels: Labels | undefined): void;
}

/**
 * Metrics and spans of the node. Always available, and free without a meter and a tracer. Declare instruments in
 * `setup`, once each: a second instrument of one name is an error. Nothing here ever fails a caller.
 */
export interface Telemetry {
  counter<const L extends string = never>(declaration: InstrumentDeclaration<L>): Counter<L>;
  histogram<const L extends string = never>(declaration: HistogramDeclaration<L>): Histogram<L>;
  /**
   * Declares a gauge. `read` is called at a scrape, at most once a second. It may cost a limited query; after a
   * failure, the scrape omits the gauge.
   */
  gauge<const L extends string = never>(declaration: GaugeDeclaration<L>, read: ReadGauge<L>): void;
  /** All declared instruments, by name. */
  instruments(): readonly Instrument[];
  /**
   * Sends all counters and histograms to the meter from now on. Only one meter can be attached; the returned function
   * detaches it.
   */
  attachMeter(meter: Meter): () => void;
  /**
   * Runs `work` as a span, and returns what it returns. Without a tracer it calls `work` and does nothing else. A throw
   * or a rejection marks the span as failed and passes on.
   */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
  /** Whether spans are recorded. A hot path may skip preparations for a span. */
  readonly isTracing: boolean;
  /** Returns the current span; undefined outside a span, and without a tracer. */
  activeSpan(): SpanPlace | undefined;
  /** Records all spans from now on. Only one tracer can be attached; the returned function detaches it. */
  attachTracer(tracer: Tracer): () => void;
}

export const Telemetry = defineRef<Telemetry>('kernel.telemetry');
