import { expect } from 'chai';
import fc from 'fast-check';
import { parseStrictJsonText } from '../../../kernel/http/strict-json.ts';
import { isFaithfulNumber } from '../../../kernel/text/faithful-number.ts';
import { RUNS } from '../../kit/property-runs.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });

describe('numbers in JSON', () => {
  // biome-ignore format: a list of short words, not worth a line each
  const faithful = [
    '0', '-0', '1', '-1', '1.5', '0.1', '1e21', '1e22', '1e23', '1E+23', '-1e23', '1e308', '1e-400', '5e-324', '0e999', '0.0e999',
    '9007199254740991', '9007199254740992', '-9007199254740992', '9007199254740994', '9007199254740992.0', '9007199254740992e0',
    '1152921504606846976', '1152921504606847000', '18446744073709551616', '18446744073709552000', '123456789012345680000',
    '1.7976931348623157e308', '179769313486231570e291', '0.12345678901234567890123', '3.14159265358979323846', '1000000000000000.5',
    '1.0000000000000000000000', `1${'0'.repeat(22)}`, `1${'0'.repeat(300)}`, `0.${'0'.repeat(400)}1`,
  ];
  for (const literal of faithful) {
    it(`are accepted if a double holds them: ${literal.slice(0, 30)}`, () => {
      expect(isFaithfulNumber(literal)).to.equal(true);
      expect(parseStrictJsonText(`[${literal}]`)).to.deep.equal([Number(literal)]);
    });
  }

  // biome-ignore format: a list of short words, not worth a line each
  const unfaithful = [
    '1e309', '-1e309', '1e400', '1e999', '1e99999999999', `1${'0'.repeat(309)}`, '9007199254740993', '-9007199254740993',
    '9007199254740993.0', '9007199254740993e0', '90071992547409930e-1', '9007199254740.993e3', '9007199254740995',
    '18446744073709551615', '12345678901234567890', '1152921504606846977', '100000000000000000001', `1${'0'.repeat(299)}1`,
    '1.79769313486231571e308', '10000000000000000000000001e3',
  ];
  for (const literal of unfaithful) {
    it(`become NaN if no double holds them: ${literal.slice(0, 30)}`, () => {
      expect(isFaithfulNumber(literal)).to.equal(false);
      expect(parseStrictJsonText(`{"v":${literal}}`)).to.deep.equal({ v: Number.NaN });
    });
  }

  it('are replaced only where they occur', () => {
    const text = '{"a":9007199254740993,"b":"9007199254740993","c":[1,1e400,{"d":-1e400}],"e":2}';
    expect(parseStrictJsonText(text)).to.deep.equal({
      a: Number.NaN,
      b: '9007199254740993',
      c: [1, Number.NaN, { d: Number.NaN }],
      e: 2,
    });
  });

  it('are exact in every form in which a double is written', () => {
    const written = fc.property(finite, fc.integer({ min: 0, max: 20 }), (value, digits) => {
      for (const literal of [JSON.stringify(value), value.toExponential()])
        expect(isFaithfulNumber(literal), literal).to.equal(true);
      if (Number.isInteger(value)) expect(isFaithfulNumber(BigInt(value).toString())).to.equal(true);
      const rounded = Number(value.toExponential(digits));
      if (Number.isFinite(rounded)) expect(isFaithfulNumber(JSON.stringify(rounded))).to.equal(true);
    });
    fc.assert(written, { numRuns: RUNS });
  });

  it('that are whole are exact if and only if a double holds them, or is written like them', () => {
    const whole = fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n });
    const agrees = fc.property(whole, (value) => {
      const held = Number(value);
      const isWrittenSo = BigInt(String(held).includes('e') ? 0 : String(held)) === value;
      expect(isFaithfulNumber(String(value))).to.equal(BigInt(held) === value || isWrittenSo);
    });
    fc.assert(agrees, { numRuns: RUNS * 5 });
  });
});
