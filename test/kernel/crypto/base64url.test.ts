import { expect } from 'chai';
import fc from 'fast-check';
import { decodeBase64Url, encodeBase64Url } from '../../../kernel/crypto/base64url.ts';
import { RUNS } from '../../kit/property-runs.ts';

const bytesOf = (text: string): number[] | null => {
  const bytes = decodeBase64Url(text);
  return bytes === null ? null : [...bytes];
};

describe('base64url', () => {
  it('uses the alphabet of RFC 4648, section 5, without padding', () => {
    expect(encodeBase64Url(Uint8Array.of(0xfb, 0xff, 0xbf, 0x00))).to.equal('-_-_AA');
    expect(encodeBase64Url(new Uint8Array(0))).to.equal('');
    expect(bytesOf('-_-_AA')).to.deep.equal([0xfb, 0xff, 0xbf, 0x00]);
    expect(bytesOf('')).to.deep.equal([]);
  });

  it('encodes only the bytes that a typed array views in its buffer', () => {
    expect(encodeBase64Url(Uint8Array.of(1, 2, 3, 4).subarray(1, 3))).to.equal('AgM');
  });

  it('returns the original bytes after encoding and decoding', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(bytesOf(encodeBase64Url(bytes))).to.deep.equal([...bytes]);
      }),
      { numRuns: RUNS },
    );
  });

  for (const text of ['AA==', 'AA=', '+/+/', 'A', 'AB', 'AAB', 'A A', 'AA\n', ' AA', 'AAA*', 'ＡＡ', 'AAAAA']) {
    it(`does not decode ${JSON.stringify(text)}`, () => {
      expect(decodeBase64Url(text)).to.equal(null);
    });
  }

  it('decodes only texts that encoding returns', () => {
    const only = fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[A-Za-z0-9_-]{0,12}$/)), (text) => {
      const bytes = decodeBase64Url(text);
      expect(bytes === null || encodeBase64Url(bytes) === text).to.equal(true);
    });
    fc.assert(only, { numRuns: RUNS });
  });
});
