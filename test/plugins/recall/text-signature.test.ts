import { expect } from 'chai';
import fc from 'fast-check';
import { hashText, textSignature } from '../../../plugins/recall/text-signature.ts';
import { RUNS } from '../../kit/property-runs.ts';

const text = fc.string({
  unit: fc.oneof(
    { arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 6 }), weight: 9 },
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2 }),
  ),
});

/** Sets a bit for each word that a regular expression finds. */
const bitsByExpression = (read: string): number[] => {
  const bits = new Uint32Array(16);
  for (const [word] of read.toLowerCase().matchAll(/[\p{L}\p{N}]+/gu)) {
    const bit = hashText(word) % 512;
    bits[bit >>> 5] = (bits[bit >>> 5] as number) | (1 << (bit & 31));
  }
  return [...bits];
};

describe('the signature of a text', () => {
  it('has the bits of the words that a regular expression finds, within ASCII and beyond', () => {
    fc.assert(
      fc.property(text, (read) => {
        expect([...textSignature(read).bits]).to.deep.equal(bitsByExpression(read));
      }),
      { numRuns: RUNS },
    );
  });

  it('gives a word the same bit beside letters beyond ASCII', () => {
    const [alone, beside] = [textSignature('Harbour 7'), textSignature('Øre, harbour-7 e\u0301')];
    for (const [at, bits] of alone.bits.entries()) expect((beside.bits[at] as number) & bits).to.equal(bits | 0);
    expect(beside.size).to.be.greaterThan(alone.size);
  });
});
