import { Registry } from 'prom-client';
import type { MetricJson, MetricValue } from './metric-json.ts';

/** The metrics of one process, with a label value for the process. Undefined for a single process. */
export interface ProcessMetrics {
  readonly process: string | undefined;
  readonly metrics: readonly MetricJson[];
}

export type Format = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
};

/** The metrics of all processes as one text, each metric once. */
export const expose = async (processes: readonly ProcessMetrics[], format: Format): Promise<string> => {
  const joined = new Map<string, { metric: MetricJson; values: MetricValue[] }>();
  for (const { process, metrics } of processes) {
    for (const metric of metrics) {
      const entry = joined.get(metric.name) ?? { metric, values: [] };
      for (const value of metric.values) entry.values.push(process === undefined ? value : tagged(value, process));
      joined.set(metric.name, entry);
    }
  }
  const registry = new Registry();
  registry.setContentType(CONTENT_TYPES[format] as Parameters<Registry['setContentType']>[0]);
  for (const [name, { metric, values }] of [...joined].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const shown = {
      name,
      type: metric.type,
      // For OpenMetrics, the registry removes the suffix of counters from their names and adds it to their lines.
      get() {
        return { ...metric, values, name: this.name };
      },
    };
    registry.registerMetric(shown as unknown as Parameters<Registry['registerMetric']>[0]);
  }
  return registry.metrics();
};

const tagged = (value: MetricValue, process: string): MetricValue => ({
  ...value,
  labels: { ...value.labels, process },
});
