import { expect } from 'chai';
import fc from 'fast-check';
import {
  hasForbiddenCodePoint,
  hasWhiteSpace,
  isControlFree,
  isWithinBytes,
  isWithinCharacters,
} from '../../../kernel/text/text-rules.ts';
import { RUNS } from '../../kit/property-runs.ts';

/** Generates any sequence of UTF-16 code units, including unpaired surrogates. */
const anyText = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff }), fc.integer({ min: 0xd7f0, max: 0xe00f }), fc.nat(0xffff)), {
    maxLength: 40,
  })
  .map((units) => String.fromCharCode(...units));

describe('text rules', () => {
  it('forbid U+0000 and lone surrogates anywhere', () => {
    for (const text of ['\u0000', 'a\u0000b', '\ud83d', '\ude00', 'a\ud83d', '\ude00\ud83d', '\ud83d\ud83d\ude00']) {
      expect(hasForbiddenCodePoint(text), JSON.stringify(text)).to.equal(true);
    }
    for (const text of ['', 'plain', '😀', '\u0001', '\ufeff', 'e\u0301', '\uffff']) {
      expect(hasForbiddenCodePoint(text), JSON.stringify(text)).to.equal(false);
    }
  });

  it('allow exactly the text without U+0000 that survives a round trip through UTF-8', () => {
    const agrees = fc.property(anyText, (text) => {
      const survives = Buffer.from(text, 'utf8').toString('utf8') === text;
      expect(hasForbiddenCodePoint(text)).to.equal(!survives || text.split('').includes('\u0000'));
    });
    fc.assert(agrees, { numRuns: RUNS });
  });

  it('recognise exactly the control characters of C0, C1 and DEL', () => {
    for (let code = 0; code <= 0x2ff; code += 1) {
      const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
      expect(isControlFree(`a${String.fromCharCode(code)}`), code.toString(16)).to.equal(!isControl);
    }
  });

  it('recognise the white space of Unicode', () => {
    for (const space of [
      ' ',
      '\t',
      '\n',
      '\r',
      '\u0085',
      '\u00a0',
      '\u1680',
      '\u2003',
      '\u2028',
      '\u2029',
      '\u202f',
      '\u3000',
    ]) {
      expect(hasWhiteSpace(`a${space}b`), JSON.stringify(space)).to.equal(true);
    }
    expect(hasWhiteSpace('memory:role\u200b')).to.equal(false);
  });

  it('count characters as code points', () => {
    expect(isWithinCharacters('😀'.repeat(5), 5)).to.equal(true);
    expect(isWithinCharacters('😀'.repeat(6), 5)).to.equal(false);
    expect(isWithinCharacters('😀'.repeat(4).concat('aa'), 5)).to.equal(false);
    fc.assert(
      fc.property(anyText, fc.nat(40), (text, limit) => isWithinCharacters(text, limit) === [...text].length <= limit),
      { numRuns: RUNS },
    );
  });

  it('count bytes as UTF-8', () => {
    expect(isWithinBytes('a'.repeat(10), 10)).to.equal(true);
    expect(isWithinBytes('a'.repeat(11), 10)).to.equal(false);
    expect(isWithinBytes('é'.repeat(5), 10)).to.equal(true);
    expect(isWithinBytes('é'.repeat(6), 10)).to.equal(false);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(60), (text, limit) => {
        return isWithinBytes(text, limit) === new TextEncoder().encode(text).length <= limit;
      }),
      { numRuns: RUNS },
    );
  });
});
