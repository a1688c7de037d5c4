/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([A-Za-z_:][\w:]*)(?:\{(.*)\})? (\S+)/;
const LABEL = /([A-Za-z_]\w*)="((?:[^"\\]|\\.)*)"/g;

/** Reads the text that a node shows to Prometheus. What it does not understand it leaves out. */
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

/** A histogram, added up over the series that were chosen. */
export interface Histogram {
  readonly count: number;
  readonly sum: number;
  /** Upper bounds, ascending, and how many values lie below each. */
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

/**
 * About the value below which this share of all lies. Inside a bucket values are taken to be spread evenly; above the
 * last bound nothing more is known than the bound. Undefined where nothing was measured.
 */
export const quantileOf = ({ buckets }: Histogram, share: number): number | undefined => {
  const total = buckets.at(-1)?.[1] ?? 0;
  if (total === 0) return undefined;
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
