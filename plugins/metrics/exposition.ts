import { Registry } from 'prom-client';
import type { MetricJson, MetricValue } from './metric-json.ts';

/** What one process says, and the value of the label that names it; undefined where nobody has to tell it apart. */
export interface ProcessMetrics {
  readonly process: string | undefined;
  readonly metrics: readonly MetricJson[];
}

export type Format = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  prometheus: Registry.PROMETHEUS_CONTENT_TYPE,
  openmetrics: Registry.OPENMETRICS_CONTENT_TYPE,
};

/** Spells what all processes say as one text, each metric once. */
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
      // The registry takes the ending off the names of counters for OpenMetrics, and puts it on their lines.
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
