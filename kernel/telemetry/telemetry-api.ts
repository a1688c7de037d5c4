import { defineRef } from '../../ports/ports.ts';
import type { Awaitable } from '../time/awaitable.ts';
import type { Span, SpanOptions, SpanPlace, Tracer } from './span.ts';

/** Values by label name. The type refuses a label that the instrument does not declare. */
export type Labels<L extends string = string> = Readonly<Record<L, string>>;

/** Name and meaning of an instrument, for the reference page and each scrape. */
export interface InstrumentDeclaration<L extends string = string> {
  /**
   * `<plugin>_<what>_<unit>` in lower case, without the name of the service, which is put before it. The units are
   * those of Prometheus: `_total` ends a counter, `_seconds` and `_bytes` are measures; a plain gauge has none.
   */
  readonly name: string;
  /** One sentence without a full stop. */
  readonly help: string;
  /**
   * Names of labels. Their values come from a small fixed set: never a tenant, an entity, an id or a foreign text. A
   * route is named by its pattern.
   */
  readonly labels?: readonly L[];
  /**
   * Combinations of label values that are counted separately; the rest counts together as `other`. 100 unless given.
   */
  readonly maxSeries?: number;
}

export interface HistogramDeclaration<L extends string = string> extends InstrumentDeclaration<L> {
  /** Upper bounds, ascending, in the unit of the name. */
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
  /** Whether a meter is attached: a caller may skip work that only serves `add`. */
  readonly isHeard: boolean;
  /** Adds `amount`, 1 unless given. */
  add(amount?: number, labels?: Labels<L>): void;
}

/** A distribution of values over ranges. */
export interface Histogram<L extends string = string> {
  /** Whether a meter is attached: a caller may skip work that only serves `observe`. */
  readonly isHeard: boolean;
  observe(value: number, labels?: Labels<L>): void;
}

/** One value of a gauge. */
export interface Reading<L extends string = string> {
  readonly value: number;
  readonly labels?: Labels<L>;
}

/** Reads a gauge: a number, or one reading for each combination of labels. */
export type ReadGauge<L extends string = string> = () => Awaitable<number | readonly Reading<L>[]>;

/** An instrument as it was declared. */
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
   * `read` is called at a scrape, at most once a second. It may cost a bounded query; a failure leaves the gauge out of
   * that scrape.
   */
  gauge<const L extends string = never>(declaration: GaugeDeclaration<L>, read: ReadGauge<L>): void;
  /** All declared instruments, by name. */
  instruments(): readonly Instrument[];
  /** Sends all counters and histograms to the meter from now on. One meter at a time; the returned function ends it. */
  attachMeter(meter: Meter): () => void;
  /**
   * Runs `work` as a span, and returns what it returns. Without a tracer it calls `work` and does nothing else. A throw
   * or a rejection marks the span as failed and passes on.
   */
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T;
  /** Whether spans are recorded: a hot path may skip preparations for one. */
  readonly isTracing: boolean;
  /** The span of the caller; undefined outside any, and without a tracer. */
  activeSpan(): SpanPlace | undefined;
  /** Records all spans from now on. One tracer at a time; the returned function ends it. */
  attachTracer(tracer: Tracer): () => void;
}

export const Telemetry = defineRef<Telemetry>('kernel.telemetry');
