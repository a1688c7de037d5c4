import { expect } from 'chai';
import fc from 'fast-check';
import type { Instrument } from '../../../kernel/internal-api.ts';
import { SeriesMeter } from '../../../plugins/metrics/series-meter.ts';
import { RUNS } from '../../kit/property-runs.ts';

const counter = (maxSeries?: number): Instrument => ({
  kind: 'counter',
  name: 'things_done_total',
  help: 'things',
  labels: ['kind', 'place'],
  ...(maxSeries === undefined ? {} : { maxSeries }),
});

describe('the series of an instrument', () => {
  it('are limited in number; values of further series are counted together', () => {
    const meter = new SeriesMeter();
    const instrument = counter(3);
    for (let n = 0; n < 1_000; n += 1) meter.add(instrument, 1, { kind: `k${n}`, place: 'p' });
    const { values } = meter.read(instrument, 'x');
    expect(values.map(({ labels, value }) => [labels['kind'], value])).to.deep.equal([
      ['k0', 1],
      ['k1', 1],
      ['k2', 1],
      ['other', 997],
    ]);
  });

  it('are distinguished by all labels together', () => {
    const meter = new SeriesMeter();
    const instrument = counter();
    meter.add(instrument, 1, { kind: 'a', place: 'bc' });
    meter.add(instrument, 2, { kind: 'ab', place: 'c' });
    expect(meter.read(instrument, 'x').values).to.deep.equal([
      { labels: { kind: 'a', place: 'bc' }, value: 1 },
      { labels: { kind: 'ab', place: 'c' }, value: 2 },
    ]);
  });

  it('of a histogram count the values up to each bound', () => {
    const values = fc.array(fc.double({ min: -5, max: 50, noNaN: true }), { maxLength: 50 });
    fc.assert(
      fc.property(values, (observed) => {
        const meter = new SeriesMeter();
        const buckets = [1, 5, 10];
        const instrument: Instrument = { kind: 'histogram', name: 'things_wait_seconds', help: 'waits', buckets };
        for (const value of observed) meter.observe(instrument, value, undefined);
        const lines = meter.read(instrument, 'x').values;
        const within = (bound: number): number => observed.filter((value) => value <= bound).length;
        expect(lines.slice(0, 4).map(({ value }) => value)).to.deep.equal([...buckets.map(within), observed.length]);
        expect(lines.at(-1)).to.deep.equal({ metricName: 'x_count', labels: {}, value: observed.length });
      }),
      { numRuns: RUNS },
    );
  });

  it('refuse invalid numbers, and a counter refuses a decrement', () => {
    const meter = new SeriesMeter();
    const instrument = counter();
    meter.add(instrument, -1, { kind: 'a', place: 'b' });
    meter.add(instrument, Number.NaN, { kind: 'a', place: 'b' });
    expect(meter.read(instrument, 'x').values).to.deep.equal([]);
  });
});
