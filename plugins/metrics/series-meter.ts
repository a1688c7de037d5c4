import type { Instrument, Labels, Meter } from '../../kernel/internal-api.ts';
import { histogramLines, type MetricJson, type MetricValue } from './metric-json.ts';

/** Default number of label combinations that an instrument separates. */
const USUAL_SERIES = 100;
/** Value of all labels of the remaining combinations. */
const OTHER = 'other';

type Histogram = Extract<Instrument, { readonly kind: 'histogram' }>;

interface Series {
  readonly labels: Labels;
  /** The value of a counter; the sum of a histogram. */
  sum: number;
  count: number;
  /** Values in each bucket, not cumulative. */
  readonly counts: number[];
}

/** Counts and sums in memory, with a bounded number of series for any labels. A count costs one map look-up. */
export class SeriesMeter implements Meter {
  readonly #families = new Map<Instrument, Map<string, Series>>();

  add(instrument: Instrument, amount: number, labels: Labels | undefined): void {
    if (amount >= 0) this.#series(instrument, labels).sum += amount;
  }

  observe(instrument: Instrument, value: number, labels: Labels | undefined): void {
    if (!Number.isFinite(value)) return;
    const { buckets } = instrument as Histogram;
    const series = this.#series(instrument, labels);
    series.sum += value;
    series.count += 1;
    let at = 0;
    while (at < buckets.length && value > (buckets[at] as number)) at += 1;
    if (at < buckets.length) series.counts[at] = (series.counts[at] ?? 0) + 1;
  }

  /** The lines of a counter or a histogram. Without labels, a line exists from the start. */
  read(instrument: Instrument, name: string): MetricJson {
    const { help, kind, labels = [] } = instrument;
    const family = this.#families.get(instrument);
    const series = family === undefined ? (labels.length === 0 ? [emptySeries({})] : []) : [...family.values()];
    const values = series.flatMap(({ labels: own, ...kept }): MetricValue[] =>
      kind === 'histogram'
        ? histogramLines(name, own, { ...kept, buckets: instrument.buckets })
        : [{ labels: own, value: kept.sum }],
    );
    return { name, help, type: kind, values };
  }

  #series(instrument: Instrument, given: Labels | undefined): Series {
    const { labels: names = [], maxSeries = USUAL_SERIES } = instrument;
    let family = this.#families.get(instrument);
    if (family === undefined) {
      family = new Map();
      this.#families.set(instrument, family);
    }
    const key = keyOf(names, given);
    const known = family.get(key);
    if (known !== undefined) return known;
    const isFull = family.size >= maxSeries && names.length > 0;
    const place = isFull ? OTHER_KEY : key;
    const labels = Object.fromEntries(names.map((name) => [name, isFull ? OTHER : (given?.[name] ?? '')]));
    const series = family.get(place) ?? emptySeries(labels);
    family.set(place, series);
    return series;
  }
}

/** The key of the remaining combinations. Keys of label values never begin with U+0000. */
const OTHER_KEY = '\u0000other';

const emptySeries = (labels: Labels): Series => ({ labels, sum: 0, count: 0, counts: [] });

const keyOf = (names: readonly string[], labels: Labels | undefined): string => {
  if (names.length === 0 || labels === undefined) return '';
  if (names.length === 1) return labels[names[0] as string] ?? '';
  let key = '';
  for (const name of names) key += `${labels[name] ?? ''}\u0001`;
  return key;
};
