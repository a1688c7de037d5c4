import { type Span, type SpanOptions, type SpanPlace, type Tracer, UNRECORDED_SPAN } from './span.ts';
import type {
  Counter,
  GaugeDeclaration,
  Histogram,
  HistogramDeclaration,
  Instrument,
  InstrumentDeclaration,
  Labels,
  Meter,
  ReadGauge,
  Telemetry,
} from './telemetry-api.ts';

const NAME = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/;
const LABEL = /^[a-z][a-z0-9_]*$/;

/** Creates the telemetry of one node: instruments that pass values to an attached meter, and spans. */
export const createTelemetry = (): Telemetry => new NodeTelemetry();

class NodeTelemetry implements Telemetry {
  readonly #instruments = new Map<string, Instrument>();
  #meter: Meter | undefined;
  #tracer: Tracer | undefined;

  get meter(): Meter | undefined {
    return this.#meter;
  }

  counter<L extends string>(declaration: InstrumentDeclaration<L>): Counter<L> {
    if (!declaration.name.endsWith('_total')) throw new Error(`the counter ${declaration.name} must end with _total`);
    return new PassingInstrument(this, this.#declare({ ...declaration, kind: 'counter' }));
  }

  histogram<L extends string>(declaration: HistogramDeclaration<L>): Histogram<L> {
    const { name, buckets } = declaration;
    const ascend = buckets.every((bound, at) => at === 0 || bound > (buckets[at - 1] as number));
    if (buckets.length === 0 || !ascend) throw new Error(`the buckets of ${name} must ascend`);
    return new PassingInstrument(this, this.#declare({ ...declaration, kind: 'histogram' }));
  }

  gauge<L extends string>(declaration: GaugeDeclaration<L>, read: ReadGauge<L>): void {
    this.#declare({ ...declaration, kind: 'gauge', read });
  }

  instruments(): readonly Instrument[] {
    return [...this.#instruments.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  attachMeter(meter: Meter): () => void {
    if (this.#meter !== undefined) throw new Error('a meter is attached already');
    this.#meter = meter;
    return () => {
      if (this.#meter === meter) this.#meter = undefined;
    };
  }

  get isTracing(): boolean {
    return this.#tracer !== undefined;
  }

  // Uses plain methods, so that a call allocates nothing without a tracer.
  span<T>(name: string, options: SpanOptions, work: (span: Span) => T): T {
    return this.#tracer === undefined ? work(UNRECORDED_SPAN) : this.#tracer.span(name, options, work);
  }

  activeSpan(): SpanPlace | undefined {
    return this.#tracer?.activeSpan();
  }

  attachTracer(tracer: Tracer): () => void {
    if (this.#tracer !== undefined) throw new Error('a tracer is attached already');
    this.#tracer = tracer;
    return () => {
      if (this.#tracer === tracer) this.#tracer = undefined;
    };
  }

  #declare(instrument: Instrument): Instrument {
    const { name, labels = [] } = instrument;
    if (!NAME.test(name)) throw new Error(`${name} is no name of an instrument: <plugin>_<what>_<unit> in lower case`);
    const wrong = labels.find((label) => !LABEL.test(label) || RESERVED_LABELS.has(label));
    if (wrong !== undefined) throw new Error(`${wrong} of ${name} is no name of a label`);
    if (this.#instruments.has(name)) throw new Error(`the instrument ${name} is declared twice`);
    this.#instruments.set(name, instrument);
    return instrument;
  }
}

/** The reserved label names: `le` for the limits of buckets, and `process` for the measuring process. */
const RESERVED_LABELS: ReadonlySet<string> = new Set(['le', 'process']);

class PassingInstrument implements Counter, Histogram {
  readonly #telemetry: NodeTelemetry;
  readonly #instrument: Instrument;

  constructor(telemetry: NodeTelemetry, instrument: Instrument) {
    this.#telemetry = telemetry;
    this.#instrument = instrument;
  }

  get isHeard(): boolean {
    return this.#telemetry.meter !== undefined;
  }

  add(amount = 1, labels?: Labels): void {
    this.#telemetry.meter?.add(this.#instrument, amount, labels);
  }

  observe(value: number, labels?: Labels): void {
    this.#telemetry.meter?.observe(this.#instrument, value, labels);
  }
}
