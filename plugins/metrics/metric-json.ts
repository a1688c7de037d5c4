import type { Labels } from '../../kernel/internal-api.ts';

/** One line of a scrape. */
export interface MetricValue {
  /** The name of the line if it differs from the metric's: a bucket, a sum, a count. */
  readonly metricName?: string | undefined;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/** A metric with all its lines, in the JSON form that processes exchange. */
export interface MetricJson {
  /** The name with the prefix of the service. */
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly values: readonly MetricValue[];
}

/** The lines of a histogram: one for each bucket, the sum and the count. */
export const histogramLines = (
  name: string,
  labels: Labels,
  {
    buckets,
    counts,
    sum,
    count,
  }: { buckets: readonly number[]; counts: readonly number[]; sum: number; count: number },
): MetricValue[] => {
  let below = 0;
  const lines = buckets.map((le, at): MetricValue => {
    below += counts[at] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...lines,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
};
