import { expect } from 'chai';
import fc from 'fast-check';
import { timesIn } from '../../../../plugins/recall/time-words/read-times.ts';
import { RUNS } from '../../../kit/property-runs.ts';

/** A Friday. */
const NOW = Date.UTC(2026, 10, 27, 15, 30);

/** Returns the first days of the spans and those behind them. */
const read = (query: string, nowMs = NOW): readonly string[] =>
  timesIn(query, nowMs).map(({ fromMs, toMs }) => [fromMs, toMs].map(dayOf).join(' '));

const dayOf = (ms: number): string => (Number.isFinite(ms) ? new Date(ms).toISOString().slice(0, 10) : String(ms));

describe('times named in a query', () => {
  const cases: readonly [query: string, ...spans: string[]][] = [
    ['what did she say today', '2026-11-27 2026-11-28'],
    ['and yesterday?', '2026-11-26 2026-11-27'],
    ['who called last week', '2026-11-16 2026-11-23'],
    ['plans for next month', '2026-12-01 2027-01-01'],
    ['plans for this year', '2026-01-01 2027-01-01'],
    ['what broke last Friday', '2026-11-20 2026-11-21'],
    ['what broke on Friday', '2026-11-27 2026-11-28'],
    ['what is there next Monday', '2026-11-30 2026-12-01'],
    ['where were we last spring', '2026-03-01 2026-06-01'],
    ['where were we last winter', '2025-12-01 2026-03-01'],
    ['where were we in winter 2021', '2021-12-01 2022-03-01'],
    ['what did he paint last May', '2026-05-01 2026-06-01'],
    ['what happened two days ago', '2026-11-25 2026-11-26'],
    ['what happened a couple of weeks ago', '2026-11-10 2026-11-17'],
    ['what happened in the past 10 days', '2026-11-17 2026-11-27'],
    ['on 3 May 2023', '2023-05-03 2023-05-04'],
    ['on the 3rd of May, 2023', '2023-05-03 2023-05-04'],
    ['on May 3, 2023', '2023-05-03 2023-05-04'],
    ['in May 2023', '2023-05-01 2023-06-01'],
    ['on 2023-05-03', '2023-05-03 2023-05-04'],
    ['in 2023-05', '2023-05-01 2023-06-01'],
    ['on 31 February 2023', '2023-02-01 2023-03-01'],
    ['on 29 February 2023', '2023-02-01 2023-03-01'],
    ['on February 29, 2023', '2023-02-01 2023-03-01'],
    ['on 29 February 2024', '2024-02-29 2024-03-01'],
    ['in 2021', '2021-01-01 2022-01-01'],
    ['at the beginning of November 2022', '2022-11-01 2022-12-01'],
    ['since 2025', '2025-01-01 2026-11-27'],
    ['since May 2025', '2025-05-01 2026-11-27'],
    ['after 3 May 2023', '2023-05-04 Infinity'],
    ['before May', '-Infinity 2026-05-01'],
    ['the week before 3 August 2023', '2023-07-27 2023-08-03'],
    ['two weeks before August 11, 2023', '2023-07-25 2023-08-01'],
    ['the day before yesterday', '2026-11-25 2026-11-26'],
    ['the day after tomorrow', '2026-11-29 2026-11-30'],
    ['after tomorrow', '2026-11-29 Infinity'],
    ['the month after 3 May 2023', '2023-05-04 2023-06-03'],
    ['two days after 3 May 2023', '2023-05-05 2023-05-06'],
    ['two days before 3 May 2023', '2023-05-01 2023-05-02'],
    ['a week after 3 May 2023', '2023-05-07 2023-05-14'],
    ['march 2023', '2023-03-01 2023-04-01'],
    ['by this May', '2027-05-01 2027-06-01'],
    ['this June', '2027-06-01 2027-07-01'],
    ['between August 11 and August 15 2023', '2023-08-11 2023-08-16'],
    ['from May to July 2023', '2023-05-01 2023-08-01'],
    ['between 2019 and 2021', '2019-01-01 2022-01-01'],
  ];
  for (const [query, ...spans] of cases) {
    it(`are recognised in: ${query}`, () => {
      expect(read(query)).to.deep.equal(spans);
    });
  }

  it('without a year match that date in any of the nearest years', () => {
    const days = read('what did she do on 3 May');
    expect(days).to.include.members(['2026-05-03 2026-05-04', '2023-05-03 2023-05-04', '2006-05-03 2006-05-04']);
    expect(days).to.have.length(22);
  });

  it('distinguish last, this and next Friday, also on a Friday', () => {
    expect(['last', 'this', 'next'].flatMap((which) => read(`what about ${which} Friday`, NOW))).to.deep.equal([
      '2026-11-20 2026-11-21',
      '2026-11-27 2026-11-28',
      '2026-12-04 2026-12-05',
    ]);
  });

  it('distinguish last, this and next winter, even in the middle of one', () => {
    for (const month of [0, 1]) {
      expect(read('where were we last winter', Date.UTC(2027, month, 15))).to.deep.equal(['2025-12-01 2026-03-01']);
    }
    expect(read('where are we this winter', Date.UTC(2027, 0, 15))).to.deep.equal(['2026-12-01 2027-03-01']);
    expect(read('where are we next winter', Date.UTC(2027, 0, 15))).to.deep.equal(['2027-12-01 2028-03-01']);
  });

  for (const query of ['on May 5', '5 May', 'in May', 'in March', 'June 5']) {
    it(`match that day or month in any of the nearest years if they name no year: ${query}`, () => {
      expect(read(query)).to.have.length(22);
    });
  }

  for (const query of [
    'may I march with you',
    'this may be wrong',
    'may 5 people join',
    'they march 10 miles',
    'on 0050-03',
    'on 0050-03-01',
    'who is Alice',
    'what did April and June say',
    'room 2023',
    'in 2023-13',
    'the second best',
    'between us',
    '',
  ]) {
    it(`are not recognised in: ${query === '' ? 'an empty text' : query}`, () => {
      expect(read(query)).to.deep.equal([]);
    });
  }

  it('begin before they end, for any text', () => {
    const word = fc.constantFrom(
      ...'between and last next this may 3 rd of 2023 31 february before since after ago two weeks day in 2023-02-30 to'.split(
        ' ',
      ),
    );
    const texts = fc.oneof(
      fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
      fc.string({ unit: 'binary', maxLength: 200 }),
    );
    fc.assert(
      fc.property(texts, (text) => {
        for (const { fromMs, toMs } of timesIn(text, NOW)) expect(fromMs).to.be.below(toMs);
      }),
      { numRuns: RUNS },
    );
  });
});
