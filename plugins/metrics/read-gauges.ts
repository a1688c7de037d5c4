import { type Instrument, type Labels, type Reading, withinTime } from '../../kernel/internal-api.ts';
import { type Clock, type Logger, ServiceError } from '../../kernel/plugin-api.ts';
import type { MetricJson, MetricValue } from './metric-json.ts';

export type Gauge = Extract<Instrument, { readonly kind: 'gauge' }>;

/** The time limit of one gauge in milliseconds. */
const GAUGE_LIMIT_MS = 1_000;
/** The time limit of all gauges together in milliseconds. Gauges that are not read by then are left out. */
const ALL_LIMIT_MS = 3_000;
/** The number of gauges that are read at once. It limits the store connections of a scrape. */
const AT_ONCE = 2;
const USUAL_SERIES = 100;

export interface GaugeParts {
  readonly clock: Clock;
  readonly log: Logger;
  /** Called for each gauge that could not be read. */
  failed(gauge: Gauge): void;
}

/** Reads gauges, a few at once. Leaves out those that fail or take too long. */
export const readGauges = async (
  gauges: readonly Gauge[],
  nameOf: (gauge: Gauge) => string,
  parts: GaugeParts,
): Promise<MetricJson[]> => {
  const { clock, log, failed } = parts;
  const begunMs = clock.monotonicMs();
  const read: MetricJson[] = [];
  const waiting = [...gauges];
  const readNext = async (): Promise<void> => {
    for (let gauge = waiting.shift(); gauge !== undefined; gauge = waiting.shift()) {
      if (clock.monotonicMs() - begunMs > ALL_LIMIT_MS) return;
      try {
        read.push(await readOne(gauge, nameOf(gauge), clock));
      } catch (error) {
        failed(gauge);
        log.debug('a gauge could not be read and is left out of the scrape', { gauge: gauge.name, error });
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, readNext));
  return read;
};

const readOne = async (gauge: Gauge, name: string, clock: Clock): Promise<MetricJson> => {
  const late = () => new ServiceError('unavailable', `the gauge ${gauge.name} took too long`);
  const answer = await withinTime(clock, GAUGE_LIMIT_MS, async () => gauge.read(), late);
  const { labels = [], maxSeries = USUAL_SERIES, help } = gauge;
  const readings: readonly Reading[] = typeof answer === 'number' ? [{ value: answer }] : answer;
  const values = readings.slice(0, maxSeries).map(
    ({ value, labels: own }): MetricValue => ({
      labels: Object.fromEntries(labels.map((label) => [label, (own as Labels | undefined)?.[label] ?? ''])),
      value,
    }),
  );
  return { name, help, type: 'gauge', values };
};
