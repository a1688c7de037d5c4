import { cacheResult } from '../../kernel/internal-api.ts';
import type { Clock, Logger, ServiceNames, Telemetry } from '../../kernel/plugin-api.ts';
import { expose, type Format, type ProcessMetrics } from './exposition.ts';
import type { MetricJson } from './metric-json.ts';
import type { NeighbourMetrics } from './neighbour-metrics.ts';
import { readProcessMetrics } from './process-metrics.ts';
import { type Gauge, readGauges } from './read-gauges.ts';
import type { SeriesMeter } from './series-meter.ts';

/** Scrapes within this time in milliseconds share one reading of the gauges. */
const KEPT_MS = 1_000;

export interface NodeMetricsParts {
  readonly telemetry: Telemetry;
  readonly meter: SeriesMeter;
  readonly names: ServiceNames;
  readonly clock: Clock;
  readonly log: Logger;
  /** The index of this process and its neighbours; undefined if it serves alone. */
  readonly shared: { readonly place: number; readonly neighbours: NeighbourMetrics } | undefined;
  failed(gauge: Gauge): void;
}

/** All metrics of a scrape. */
export class NodeMetrics {
  readonly #parts: NodeMetricsParts;
  readonly #prefix: string;
  readonly #ownGauges: () => Promise<MetricJson[]>;
  readonly #storeGauges: () => Promise<MetricJson[]>;

  constructor(parts: NodeMetricsParts) {
    this.#parts = parts;
    this.#prefix = `${parts.names.name.replaceAll('-', '_')}_`;
    const kept = (isOfStore: boolean) =>
      cacheResult(
        () => this.#gauges(isOfStore),
        KEPT_MS,
        () => parts.clock.monotonicMs(),
      );
    this.#ownGauges = kept(false);
    this.#storeGauges = kept(true);
  }

  async text(format: Format): Promise<string> {
    const { shared } = this.#parts;
    const own: ProcessMetrics = { process: shared?.place.toString(), metrics: await this.ofProcess() };
    const others = shared === undefined ? [] : await shared.neighbours.read();
    const ofStore: ProcessMetrics = { process: undefined, metrics: await this.#storeGauges() };
    return expose([own, ...others, ofStore], format);
  }

  /** Returns only the metrics of this process. */
  async ofProcess(): Promise<MetricJson[]> {
    const { telemetry, meter } = this.#parts;
    const gauges = await this.#ownGauges();
    const counted = telemetry
      .instruments()
      .filter(({ kind }) => kind !== 'gauge')
      .map((instrument) => meter.read(instrument, this.#nameOf(instrument)));
    return [...counted, ...gauges, ...(await readProcessMetrics())];
  }

  #gauges(isOfStore: boolean): Promise<MetricJson[]> {
    const gauges = this.#parts.telemetry
      .instruments()
      .filter((instrument) => instrument.kind === 'gauge')
      .filter((gauge) => (gauge.of === 'store') === isOfStore);
    return readGauges(gauges, (gauge) => this.#nameOf(gauge), this.#parts);
  }

  #nameOf({ name }: { readonly name: string }): string {
    return this.#prefix + name;
  }
}
