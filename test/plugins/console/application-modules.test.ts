import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { importConsoleModule } from '../../kit/console-module.ts';

interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

interface Histogram {
  readonly count: number;
  readonly sum: number;
}

interface MetricsModule {
  readSamples(text: string): readonly Sample[];
  histogramOf(samples: readonly Sample[], name: string, isWanted: (labels: Sample['labels']) => boolean): Histogram;
  quantileOf(histogram: Histogram, share: number): number | undefined;
}

const SCRAPE = `# HELP svc_recall_seconds How long recalls take
# TYPE svc_recall_seconds histogram
svc_recall_seconds_bucket{step="search",le="0.1"} 50
svc_recall_seconds_bucket{step="search",le="0.2"} 90
svc_recall_seconds_bucket{step="search",le="+Inf"} 100
svc_recall_seconds_sum{step="search"} 12.5
svc_recall_seconds_count{step="search"} 100
svc_recall_seconds_bucket{step="odd } \\"name\\"",le="+Inf"} 7
up 1
not a line of it
`;

describe('the recall latencies on the overview of the console', () => {
  let metrics: MetricsModule;
  before(async () => {
    metrics = await importConsoleModule('screens/overview/read-metrics.ts');
  });

  it('are read from metrics in Prometheus format, with any labels', () => {
    const samples = metrics.readSamples(SCRAPE);
    expect(samples).to.have.lengthOf(7);
    expect(samples.at(-1)).to.deep.equal({ name: 'up', labels: {}, value: 1 });
    expect(samples.at(-2)?.labels).to.include({ le: '+Inf' });
  });

  it('yield the median and high quantiles of recalls, or none without recalls', () => {
    const samples = metrics.readSamples(SCRAPE);
    const histogram = metrics.histogramOf(samples, 'svc_recall_seconds', ({ step }) => step === 'search');
    expect(histogram).to.include({ count: 100, sum: 12.5 });
    expect(metrics.quantileOf(histogram, 0.5)).to.be.closeTo(0.1, 1e-9);
    expect(metrics.quantileOf(histogram, 0.7)).to.be.closeTo(0.15, 1e-9);
    expect(metrics.quantileOf(histogram, 0.95)).to.equal(0.2);
    const none = metrics.histogramOf(samples, 'svc_recall_seconds', () => false);
    expect(metrics.quantileOf(none, 0.5)).to.equal(undefined);
  });

  it('yield no quantile from fewer than 20 recalls', () => {
    const of = (count: number) =>
      metrics.histogramOf([{ name: 'wait_bucket', labels: { le: '1' }, value: count }], 'wait', () => true);
    expect(metrics.quantileOf(of(19), 0.95)).to.equal(undefined);
    expect(metrics.quantileOf(of(20), 0.95)).to.be.closeTo(0.95, 1e-9);
  });
});

interface Moment {
  readonly asOf: string;
  readonly ms: number;
}

interface MomentsModule {
  msOf(asOf: string): number | undefined;
  stepOf(steps: readonly Moment[], asOf: string): number;
}

describe('the steps in the history of an entity', () => {
  it('are found by stamp and by instant: the first step at or after it', async () => {
    const { msOf, stepOf } = await importConsoleModule<MomentsModule>('screens/entities/read-moments.ts');
    const steps = [1_000, 2_000, 2_000].map((ms, at) => ({ asOf: `${ms}.${at}`, ms }));
    expect(msOf('2000.7')).to.equal(2_000);
    expect(msOf('1970-01-01T00:00:02Z')).to.equal(2_000);
    expect(msOf('soon')).to.equal(undefined);
    expect(stepOf(steps, '2000.1')).to.equal(1);
    expect(stepOf(steps, '1970-01-01T00:00:01.500Z')).to.equal(0);
    expect(stepOf(steps, '1970-01-01T00:00:09Z')).to.equal(2);
    expect(stepOf(steps, '1970-01-01T00:00:00Z')).to.equal(-1);
  });
});

interface Draft {
  readonly type: string;
  readonly text: string;
}

describe('a value that a reader types into the console', () => {
  it('is converted to the chosen type, unless the conversion would lose information', async () => {
    const { readDraft } = await importConsoleModule<{ readDraft(draft: Draft): unknown }>('kit/value-draft.ts');
    const read = (type: string, text: string) => readDraft({ type, text });
    expect(read('number', ' -0.5 ')).to.deep.equal({ type: 'number', v: -0.5 });
    expect(read('number', '9007199254740992')).to.deep.equal({ type: 'number', v: 9_007_199_254_740_992 });
    for (const text of ['', ' ', '9007199254740993', '1e999', 'abc'])
      expect(read('number', text), text).to.equal(undefined);
    expect(read('boolean', 'true')).to.deep.equal({ type: 'boolean', v: true });
    expect(read('null', 'left over')).to.deep.equal({ type: 'null', v: null });
    expect(read('string', '')).to.deep.equal({ type: 'string', v: '' });
    expect(read('string', 'é'.repeat(8_193))).to.include({ type: 'text' });
    expect(read('ref', '')).to.equal(undefined);
  });
});

interface LanguageModule {
  chooseLocale(wanted: readonly string[], known: readonly string[]): string;
}

interface TextsModule {
  fill(text: string, values: Readonly<Record<string, string | number>>): string;
  spellShare(share: number): string;
}

describe('a translated sentence of the console', () => {
  it('fills each placeholder once, and ignores placeholder syntax inside values', async () => {
    const { fill } = await importConsoleModule<TextsModule>('texts/texts.ts');
    expect(fill('{b} of {a}', { a: '{b}', b: '$& {a}' })).to.equal('$& {a} of {b}');
    expect(fill('{count} of {other}', { count: 1_234 })).to.equal('1,234 of {other}');
    expect(fill('{name} is here', { name: 'a\u202eb' })).to.equal('\u2068a\u202eb\u2069 is here');
  });

  it('shows percentages in one format', async () => {
    const { spellShare } = await importConsoleModule<TextsModule>('texts/texts.ts');
    expect([1, 0.962, 0.5, 0.009].map(spellShare)).to.deep.equal(['100%', '96.2%', '50%', '0.9%']);
    const english = await readFile('plugins/console/app/texts/en.json', 'utf8');
    expect(english).to.not.match(/ %/);
  });

  it('uses the first available language of the reader, or English otherwise', async () => {
    const { chooseLocale } = await importConsoleModule<LanguageModule>('texts/language.ts');
    expect(chooseLocale(['fr-CA', 'en-GB', 'en'], ['en'])).to.equal('en-GB');
    expect(chooseLocale(['de-AT', 'en'], ['en', 'de'])).to.equal('de-AT');
    expect(chooseLocale(['en-US@posix', '', 'fr'], ['en'])).to.equal('en');
    expect(chooseLocale([], ['en'])).to.equal('en');
  });
});
