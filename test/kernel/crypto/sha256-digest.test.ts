import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { sha256Hex } from '../../../kernel/crypto/sha256-digest.ts';
import { RUNS } from '../../kit/property-runs.ts';

describe('SHA-256', () => {
  it('returns the digests of the standard', () => {
    expect(sha256Hex('')).to.equal('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(sha256Hex('abc')).to.equal('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('hashes a text as its UTF-8 bytes, and a view as the bytes in its range', () => {
    const agrees = fc.property(fc.string({ unit: 'binary' }), (text) => {
      const bytes = new TextEncoder().encode(text);
      const expected = createHash('sha256').update(bytes).digest('hex');
      expect(sha256Hex(text)).to.equal(expected);
      expect(sha256Hex(bytes)).to.equal(expected);
      expect(
        sha256Hex(Buffer.concat([Buffer.from('x'), bytes, Buffer.from('y')]).subarray(1, 1 + bytes.length)),
      ).to.equal(expected);
    });
    fc.assert(agrees, { numRuns: RUNS });
  });
});
