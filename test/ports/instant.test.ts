import { expect } from 'chai';
import fc from 'fast-check';
import {
  FIRST_INSTANT_MS,
  formatInstant,
  instantKey,
  LAST_INSTANT_MS,
  parseDateOrInstant,
  parseInstant,
} from '../../ports/instant.ts';
import { RUNS } from '../kit/property-runs.ts';

const instantMs = fc.oneof(
  fc.integer({ min: FIRST_INSTANT_MS, max: LAST_INSTANT_MS }),
  fc.integer({ min: 1_700_000_000_000, max: 1_800_000_000_000 }),
);
const offsetMinutes = fc.integer({ min: -(23 * 60 + 59), max: 23 * 60 + 59 });

/** Formats the same instant with another offset. */
const withOffset = (ms: number, minutes: number): string => {
  const size = Math.abs(minutes);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${twoDigits(Math.floor(size / 60))}:${twoDigits(size % 60)}`;
  return formatInstant(ms + minutes * 60_000).replace('Z', offset);
};
const isWritable = (ms: number): boolean => ms >= FIRST_INSTANT_MS && ms <= LAST_INSTANT_MS;

describe('instants', () => {
  const readable: readonly (readonly [text: string, expected: string])[] = [
    ['2026-03-02T09:15:04.120Z', '2026-03-02T09:15:04.120Z'],
    ['2026-03-02T09:15:04Z', '2026-03-02T09:15:04.000Z'],
    ['2026-03-02t09:15:04z', '2026-03-02T09:15:04.000Z'],
    ['2026-03-02T09:15:04.1Z', '2026-03-02T09:15:04.100Z'],
    ['2026-03-02T09:15:04.1209999Z', '2026-03-02T09:15:04.120Z'],
    ['2026-03-02T09:15:04.120+02:00', '2026-03-02T07:15:04.120Z'],
    ['2026-03-02T00:15:04-05:30', '2026-03-02T05:45:04.000Z'],
    ['2026-03-02T09:15:04-00:00', '2026-03-02T09:15:04.000Z'],
    ['2026-12-31T23:59:59+00:00', '2026-12-31T23:59:59.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['0099-06-15T12:00:00Z', '0099-06-15T12:00:00.000Z'],
    ['1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.999Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    [`2026-03-02T09:15:04.12${'0'.repeat(41)}Z`, '2026-03-02T09:15:04.120Z'],
    ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['2016-12-31T15:59:60.5-08:00', '2017-01-01T00:00:00.500Z'],
    ['2017-01-01T08:59:60+09:00', '2017-01-01T00:00:00.000Z'],
  ];
  for (const [text, expected] of readable) {
    it(`are parsed from ${text}`, () => {
      const ms = parseInstant(text);
      expect(ms).to.be.a('number');
      expect(formatInstant(ms as number)).to.equal(expected);
    });
  }

  // biome-ignore format: a list of short words, not worth a line each
  const unreadable = [
    '', 'tomorrow', 'now', '0', '1772442904120', '2026', '2026-01', '2026-01-01', '2026-02-30T00:00:00Z',
    '2026-02-29T00:00:00Z', '1900-02-29T00:00:00Z', '2026-04-31T00:00:00Z', '2026-13-01T00:00:00Z', '2026-00-01T00:00:00Z',
    '2026-01-00T00:00:00Z', '2026-01-32T00:00:00Z', '+275760-09-13T00:00:00Z', '-000001-01-01T00:00:00Z',
    '2026-01-01T24:00:00Z', '2026-01-01T00:60:00Z', '2026-01-01T00:00:61Z', '2026-01-01T00:00:60Z', '2016-12-31T23:59:60+01:00',
    '2026-01-01T00:00:00', '2026-01-01T00:00Z', '2026-01-01 00:00:00Z', '2026-01-01T00:00:00.Z', '2026-01-01T00:00:00,5Z',
    '2026-01-01T00:00:00+0200', '2026-01-01T00:00:00+02', '2026-01-01T00:00:00+24:00', '2026-01-01T00:00:00+02:60',
    '2026-01-01T00:00:00 +02:00', '2026-01-01T00:00:00ZZ', '2026-01-01T00:00:00Z ', ' 2026-01-01T00:00:00Z',
    '2026-01-01T00:00:00Z\n', '2026-1-1T00:00:00Z', '26-01-01T00:00:00Z', '２０２６-01-01T00:00:00Z', '2026/01/01T00:00:00Z', '2026/01-01T00:00:00Z', '2026-01/01T00:00:00Z', '2026-01-01T00:00:00x02:00', '2026-01-01T00:00:00+02-00',
    '2026-01-01T00:00:00+02:00:00', '2026-01-01T00:00:00.xZ', '2026-01-01T00:00:00.x5Z', '2026-01-01T00:00:00.5', '2026-01-01T00.00:00Z', '2026-01-01T00:00.00Z',
    '2026-01-01T0:00:00Z', '2026-01-01T00:00:-1Z', '2026-W01-1T00:00:00Z', '2026-001T00:00:00Z', 'Thu, 01 Jan 2026 00:00:00 GMT',
    '0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01', `2026-01-01T00:00:00.${'0'.repeat(44)}Z`, `2026-01-01T00:00:00.${'0'.repeat(100_000)}Z`,
  ];
  for (const text of unreadable) {
    it(`are not parsed from ${JSON.stringify(text.slice(0, 40))}`, () => {
      expect(parseInstant(text)).to.equal(null);
    });
  }

  it('are accepted or refused according to the calendar, for every date of four centuries', () => {
    const part = fc.record({ year: fc.integer({ min: 1800, max: 2200 }), month: fc.nat(13), day: fc.nat(32) });
    const agrees = fc.property(part, ({ year, month, day }) => {
      const text = `${year}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
      const date = new Date(Date.UTC(year, month - 1, day));
      const exists = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
      expect(parseDateOrInstant(text)).to.equal(exists ? date.getTime() : null);
    });
    fc.assert(agrees, { numRuns: RUNS * 5 });
  });

  it('are the same after formatting and parsing', () => {
    fc.assert(
      fc.property(instantMs, (ms) => {
        expect(parseInstant(formatInstant(ms))).to.equal(ms);
      }),
      { numRuns: RUNS },
    );
  });

  it('are understood by the Date class of JavaScript once formatted', () => {
    fc.assert(
      fc.property(instantMs, (ms) => Date.parse(formatInstant(ms)) === ms),
      { numRuns: RUNS },
    );
  });

  it('do not depend on the time offset in the text', () => {
    const same = fc.property(instantMs, offsetMinutes, (ms, minutes) => {
      fc.pre(isWritable(ms + minutes * 60_000));
      expect(parseInstant(withOffset(ms, minutes))).to.equal(ms);
      expect(instantKey(withOffset(ms, minutes))).to.equal(instantKey(formatInstant(ms)));
    });
    fc.assert(same, { numRuns: RUNS });
  });

  it('have equal keys exactly when they are equal, to the last digit of the fraction', () => {
    const digits = fc.stringMatching(/^[0-9]{1,12}$/);
    const agrees = fc.property(digits, digits, (a, b) => {
      const equal = a.padEnd(12, '0') === b.padEnd(12, '0');
      const [keyA, keyB] = [a, b].map((fraction) => instantKey(`2026-03-02T09:15:04.${fraction}Z`));
      expect(keyA === keyB).to.equal(equal);
    });
    fc.assert(agrees, { numRuns: RUNS });
    expect(instantKey('2026-03-02T09:15:04.1200000Z')).to.equal(instantKey('2026-03-02T10:15:04.12+01:00'));
    expect(instantKey('2026-03-02T09:15:04.1200001Z')).not.to.equal(instantKey('2026-03-02T09:15:04.12Z'));
  });

  it('may be written as a date, which means midnight in UTC, where dates are allowed', () => {
    expect(parseDateOrInstant('2026-03-02')).to.equal(parseInstant('2026-03-02T00:00:00Z'));
    expect(parseDateOrInstant('2026-03-02T01:00:00Z')).to.equal(parseInstant('2026-03-02T01:00:00Z'));
    expect(instantKey('2026-03-02')).to.equal(instantKey('2026-03-02T01:00:00+01:00'));
    for (const text of ['2026-02-30', '2026-3-2', '20260302', '2026-03-02Z', '2026-03-0x', '']) {
      expect(parseDateOrInstant(text), text).to.equal(null);
      expect(instantKey(text), text).to.equal(null);
    }
  });

  it('are not formatted outside the years that can be parsed', () => {
    for (const ms of [FIRST_INSTANT_MS - 1, LAST_INSTANT_MS + 1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => formatInstant(ms)).to.throw(RangeError);
    }
  });
});
