import { createHash } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson } from '../../../kernel/crypto/canonical-json.ts';
import { valueCommitment } from '../../../kernel/facts/value-commitment.ts';
import { type FactValue, VALUE_TYPES } from '../../../ports/fact.ts';
import { RUNS } from '../../kit/property-runs.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const SALT = Uint8Array.from({ length: 16 }, (_, at) => at);

/** Computes the commitment independently, in the simplest form. */
const expected = (salt: Uint8Array, { interpretAs, type, v }: FactValue): string =>
  createHash('sha256')
    .update(salt)
    .update(canonicalJson({ interpret_as: interpretAs, type, v }))
    .digest('hex');

describe('the commitment of a value', () => {
  it('is SHA-256 over the salt and the canonical form of the whole value', () => {
    const text = '{"interpret_as":"content","type":"string","v":"CEO"}';
    const digest = createHash('sha256').update(SALT).update(text).digest('hex');
    expect(hex(valueCommitment(SALT, { type: 'string', v: 'CEO', interpretAs: 'content' }))).to.equal(digest);
  });

  it('equals that digest for every value and every salt', () => {
    const value: fc.Arbitrary<FactValue> = fc.record({
      type: fc.constantFrom(...VALUE_TYPES),
      v: fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      interpretAs: fc.constantFrom('content', 'instruction'),
    });
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), value, (salt, said) => {
        expect(hex(valueCommitment(salt, said))).to.equal(expected(salt, said));
      }),
      { numRuns: RUNS },
    );
  });

  it('accepts long values, and leaves no trace of one value in the next result', () => {
    const say = (v: string): FactValue => ({ type: 'text', v, interpretAs: 'content' });
    for (const length of [2_690, 2_725, 8_192, 100_000, 3]) {
      for (const letter of ['a', 'ü', '€', '😀']) {
        const said = say(letter.repeat(length));
        expect(hex(valueCommitment(SALT, said)), `${letter} × ${length}`).to.equal(expected(SALT, said));
      }
    }
  });

  it('differs when the salt, the type or the interpretation of the value differs', () => {
    const said: FactValue = { type: 'string', v: '1', interpretAs: 'content' };
    const commitments = [
      valueCommitment(SALT, said),
      valueCommitment(new Uint8Array(16), said),
      valueCommitment(SALT, { ...said, type: 'text' }),
      valueCommitment(SALT, { ...said, v: 1 }),
      valueCommitment(SALT, { ...said, interpretAs: 'instruction' }),
    ];
    expect(new Set(commitments.map(hex)).size).to.equal(commitments.length);
  });

  it('refuses values without a canonical form', () => {
    const commit = (v: string | number) => () => valueCommitment(SALT, { type: 'text', v, interpretAs: 'content' });
    expect(commit('\ud800')).to.throw(TypeError, 'well-formed');
    expect(commit(Number.NaN)).to.throw(TypeError, 'finite');
  });
});
