/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Parses metrics in the Prometheus text format. Skips unknown lines. */
export const readSamples = (text: string): readonly Sample[] =>
  text.split('\n').flatMap((line) => {
    const match = line.startsWith('#') ? null : LINE.exec(line);
    if (match === null) return [];
    const [, name = '', labelText = '', number = ''] = match;
    const labels = Object.fromEntries(
      [...labelText.matchAll(LABEL)].map(([, label = '', value = '']) => [label, value]),
    );
    const value = number === '+Inf' ? Number.POSITIVE_INFINITY : Number(number);
    return Number.isNaN(value) ? [] : [{ name, labels, value }];
  });

/** A histogram, summed over the selected series. */
export interface Histogram {
  readonly count: number;
  readonly sum: number;
  /** Upper bounds, ascending, with the number of values below each. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
}

export const histogramOf = (
  samples: readonly Sample[],
  name: string,
  isWanted: (labels: Sample['labels']) => boolean,
): Histogram => {
  const wanted = samples.filter((sample) => sample.name.startsWith(name) && isWanted(sample.labels));
  const total = (suffix: string): number =>
    wanted.reduce((all, sample) => (sample.name === name + suffix ? all + sample.value : all), 0);
  const counts = new Map<number, number>();
  for (const sample of wanted) {
    const { le } = sample.labels;
    if (sample.name !== `${name}_bucket` || le === undefined) continue;
    const bound = le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
    counts.set(bound, (counts.get(bound) ?? 0) + sample.value);
  }
  return { count: total('_count'), sum: total('_sum'), buckets: [...counts].sort(([one], [other]) => one - other) };
};

/** The 95th percentile of fewer values is the largest of them. */
export const LEAST_VALUES = 20;

/**
 * Estimates a quantile. Assumes an even spread inside a bucket; above the last bound it returns that bound. Undefined
 * below `LEAST_VALUES`.
 */
export const quantileOf = ({ buckets }: Histogram, share: number): number | undefined => {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total < LEAST_VALUES) return undefined;
  const wanted = total * share;
  let [lower, before] = [0, 0];
  for (const [bound, count] of buckets) {
    if (count >= wanted) {
      if (!Number.isFinite(bound)) return lower;
      return lower + (bound - lower) * ((wanted - before) / Math.max(1, count - before));
    }
    [lower, before] = [bound, count];
  }
  return lower;
};
