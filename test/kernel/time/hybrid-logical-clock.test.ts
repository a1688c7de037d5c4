import { expect } from 'chai';
import fc from 'fast-check';
import {
  compareHlc,
  formatHlc,
  isTooFarAhead,
  MAX_COUNTER,
  parseHlc,
  REMOTE_COUNTER_LIMIT,
  receiveHlc,
  tickHlc,
  ZERO_HLC,
} from '../../../kernel/time/hybrid-logical-clock.ts';
import type { Hlc } from '../../../ports/fact.ts';
import { RUNS } from '../../kit/property-runs.ts';

const NOW_MS = 1_772_442_904_120;
/** Generates few distinct wall times, so that ties are frequent. */
const wallMs = fc.oneof(
  fc.integer({ min: NOW_MS - 3, max: NOW_MS + 3 }),
  fc.integer({ min: 0, max: 999_999_999_999_999 }),
);
const counter = fc.oneof(
  fc.integer({ min: 0, max: 3 }),
  fc.integer({ min: MAX_COUNTER - 2, max: MAX_COUNTER }),
  fc.integer({ min: 0, max: MAX_COUNTER }),
);
const hlc: fc.Arbitrary<Hlc> = fc.record({ wallMs, counter });

const asBigInt = (stamp: Hlc): bigint => (BigInt(stamp.wallMs) << 32n) + BigInt(stamp.counter);

describe('the hybrid logical clock', () => {
  it('uses the physical time when that is ahead, and otherwise increments the counter', () => {
    expect(tickHlc({ wallMs: 10, counter: 5 }, 11)).to.deep.equal({ wallMs: 11, counter: 0 });
    expect(tickHlc({ wallMs: 10, counter: 5 }, 10)).to.deep.equal({ wallMs: 10, counter: 6 });
    expect(tickHlc({ wallMs: 10, counter: 5 }, 3)).to.deep.equal({ wallMs: 10, counter: 6 });
  });

  it('continues from the largest wall time at a receipt, and from the highest counter of that wall time', () => {
    const last = { wallMs: 10, counter: 5 };
    expect(receiveHlc(last, 9, { wallMs: 8, counter: 70 })).to.deep.equal({ wallMs: 10, counter: 6 });
    expect(receiveHlc(last, 9, { wallMs: 10, counter: 7 })).to.deep.equal({ wallMs: 10, counter: 8 });
    expect(receiveHlc(last, 9, { wallMs: 12, counter: 7 })).to.deep.equal({ wallMs: 12, counter: 8 });
    expect(receiveHlc(last, 13, { wallMs: 12, counter: 7 })).to.deep.equal({ wallMs: 13, counter: 0 });
    expect(receiveHlc(last, 10, { wallMs: 9, counter: 7 })).to.deep.equal({ wallMs: 10, counter: 6 });
  });

  it('moves to the next millisecond only when the counter is used up', () => {
    expect(tickHlc({ wallMs: 10, counter: MAX_COUNTER - 1 }, 10)).to.deep.equal({ wallMs: 10, counter: MAX_COUNTER });
    expect(tickHlc({ wallMs: 10, counter: MAX_COUNTER }, 10)).to.deep.equal({ wallMs: 11, counter: 0 });
    expect(receiveHlc(ZERO_HLC, 0, { wallMs: 10, counter: MAX_COUNTER })).to.deep.equal({ wallMs: 11, counter: 0 });
  });

  it('limits how far a foreign stamp may be ahead of physical time', () => {
    const ahead = { wallMs: NOW_MS + 300_000, counter: 0 };
    expect(isTooFarAhead(ahead, NOW_MS, 300_000)).to.equal(false);
    expect(isTooFarAhead(ahead, NOW_MS - 1, 300_000)).to.equal(true);
    expect(isTooFarAhead(ahead, 0, 0)).to.equal(false);
    expect(isTooFarAhead(ZERO_HLC, NOW_MS, 1)).to.equal(false);
    expect(REMOTE_COUNTER_LIMIT).to.equal(1_048_576);
  });

  it('gives each local event a later stamp than the one before', () => {
    fc.assert(
      fc.property(hlc, wallMs, (last, now) => compareHlc(tickHlc(last, now), last) > 0),
      { numRuns: RUNS },
    );
  });

  it('gives each received message a stamp later than the clock and the message', () => {
    const later = fc.property(hlc, wallMs, hlc, (last, now, received) => {
      const next = receiveHlc(last, now, received);
      return compareHlc(next, last) > 0 && compareHlc(next, received) > 0;
    });
    fc.assert(later, { numRuns: RUNS });
  });

  it('gives no stamp before physical time', () => {
    const notBehind = fc.property(hlc, wallMs, hlc, (last, now, received) => {
      return tickHlc(last, now).wallMs >= now && receiveHlc(last, now, received).wallMs >= now;
    });
    fc.assert(notBehind, { numRuns: RUNS });
  });

  it('drifts no further than the bound, for any messages within it', () => {
    const boundMs = 300_000;
    const step = fc.record({
      elapsedMs: fc.nat(1000),
      aheadMs: fc.option(fc.integer({ min: -9e5, max: 9e5 })),
      counter: fc.nat(REMOTE_COUNTER_LIMIT),
    });
    const bounded = fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let now = NOW_MS;
      let clock: Hlc = ZERO_HLC;
      for (const { elapsedMs, aheadMs, counter } of steps) {
        now += elapsedMs;
        const received = aheadMs === null ? null : { wallMs: now + aheadMs, counter };
        const isRefused = received !== null && isTooFarAhead(received, now, boundMs);
        clock = received === null || isRefused ? tickHlc(clock, now) : receiveHlc(clock, now, received);
        expect(clock.wallMs - now).to.be.at.most(boundMs);
      }
    });
    fc.assert(bounded, { numRuns: RUNS });
  });

  it('compares stamps as pairs of whole numbers', () => {
    const agrees = fc.property(hlc, hlc, (a, b) => {
      const difference = asBigInt(a) - asBigInt(b);
      expect(Math.sign(compareHlc(a, b))).to.equal(difference < 0n ? -1 : difference > 0n ? 1 : 0);
      expect(Math.sign(compareHlc(b, a)) + Math.sign(compareHlc(a, b))).to.equal(0);
    });
    fc.assert(agrees, { numRuns: RUNS });
  });

  it('orders counter 10 after counter 9, unlike text', () => {
    const stamps = ['1772442904120.10', '1772442904120.2', '1772442904120.9'].map((text) => parseHlc(text) as Hlc);
    expect(stamps.sort(compareHlc).map((stamp) => stamp.counter)).to.deep.equal([2, 9, 10]);
  });

  it('parses a formatted stamp back to the same stamp', () => {
    fc.assert(
      fc.property(hlc, (stamp) => {
        expect(parseHlc(formatHlc(stamp))).to.deep.equal(stamp);
      }),
      { numRuns: RUNS },
    );
  });

  it('writes thirteen digits and an unpadded counter', () => {
    expect(formatHlc({ wallMs: NOW_MS, counter: 0 })).to.equal('1772442904120.0');
    expect(formatHlc({ wallMs: 7, counter: 12 })).to.equal('0000000000007.12');
  });

  it('reads leading zeros and up to fifteen digits', () => {
    expect(parseHlc('1772442904120.0000000007')).to.deep.equal({ wallMs: NOW_MS, counter: 7 });
    expect(parseHlc('999999999999999.2147483647')).to.deep.equal({ wallMs: 999_999_999_999_999, counter: MAX_COUNTER });
  });

  // biome-ignore format: a list of short words, not worth a line each
  const unreadable = [
    '', '1', '1.', '.1', '1.2.3', '-1.0', '1.-1', '+1.0', '1e3.0', ' 1.0', '1.0 ', '1.0\n', '１.０', '1,0', '0x1.0',
    `${'9'.repeat(20)}.0`, `${'9'.repeat(16)}.0`, '1.2147483648', '1.4294967296', '1.00000000000', 'NaN.0', '1_0.0', '٣.0',
  ];
  for (const text of unreadable) {
    it(`does not read ${JSON.stringify(text)}`, () => {
      expect(parseHlc(text)).to.equal(null);
    });
  }

  it('reads only its own format', () => {
    const grammar = /^[0-9]{1,15}\.[0-9]{1,10}$/;
    const text = fc.oneof(fc.string(), fc.stringMatching(/^[0-9 .e+-]{0,20}$/), fc.stringMatching(grammar));
    const agrees = fc.property(text, (candidate) => {
      const readable = grammar.test(candidate) && Number(candidate.split('.')[1]) <= MAX_COUNTER;
      return (parseHlc(candidate) !== null) === readable;
    });
    fc.assert(agrees, { numRuns: RUNS });
  });
});
