import { expect } from 'chai';
import fc from 'fast-check';
import { type CursorPosition, createCursorCodec, MAX_CURSOR_LENGTH } from '../../../kernel/pages/page-cursor.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const NOW_MS = 1_772_442_904_120;
const codec = createCursorCodec(new Uint8Array(32).fill(7));

const position: fc.Arbitrary<CursorPosition> = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.integer(),
    fc.constant(null),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  { maxLength: 6 },
);
const binding = fc.string({ unit: 'binary' });

const refusalOf = (text: string, expected: { binding: string; nowMs?: number }): string =>
  thrownError(() => codec.decode(text, { nowMs: NOW_MS, ...expected })).code;

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('page cursors', () => {
  it('return their position to the caller and query that they were made for', () => {
    const kept = fc.property(position, binding, (sent, bound) => {
      const text = codec.encode({ position: sent, binding: bound });
      expect(text).to.match(/^[A-Za-z0-9_-]+$/);
      // The comparison as text treats 0 and -0 as equal.
      expect(JSON.stringify(codec.decode(text, { binding: bound, nowMs: NOW_MS }))).to.equal(JSON.stringify(sent));
    });
    fc.assert(kept, { numRuns: RUNS });
  });

  it('are refused when any character is replaced', () => {
    const text = codec.encode({ position: [NOW_MS, '5f0c2b1e-7a64'], binding: 'agent:w|GET /v1/facts|' });
    for (let at = 0; at < text.length; at += 1) {
      for (const character of `${ALPHABET}+/= *\u0000é`) {
        if (character === text[at]) continue;
        const changed = text.slice(0, at) + character + text.slice(at + 1);
        expect(refusalOf(changed, { binding: 'agent:w|GET /v1/facts|' })).to.equal('invalid_cursor');
      }
    }
  });

  it('are refused when shortened, extended or padded', () => {
    const text = codec.encode({ position: ['a', 1], binding: 'b' });
    for (let end = 0; end < text.length; end += 1)
      expect(refusalOf(text.slice(0, end), { binding: 'b' })).to.equal('invalid_cursor');
    for (const tail of ['A', '=', '==', ' ', '\n', 'AAAA', text]) {
      expect(refusalOf(text + tail, { binding: 'b' })).to.equal('invalid_cursor');
    }
  });

  it('are refused for another caller or query', () => {
    const bound = fc.property(position, binding, binding, (sent, own, other) => {
      fc.pre(own !== other);
      expect(refusalOf(codec.encode({ position: sent, binding: own }), { binding: other })).to.equal('invalid_cursor');
    });
    fc.assert(bound, { numRuns: RUNS });
  });

  it('are refused under another secret', () => {
    const other = createCursorCodec(new Uint8Array(32).fill(8));
    expect(refusalOf(other.encode({ position: [1], binding: 'b' }), { binding: 'b' })).to.equal('invalid_cursor');
  });

  it('expire at their expiry to the millisecond', () => {
    const text = codec.encode({ position: [1], binding: 'b', expiresMs: NOW_MS });
    expect(codec.decode(text, { binding: 'b', nowMs: NOW_MS - 1 })).to.deep.equal([1]);
    expect(refusalOf(text, { binding: 'b', nowMs: NOW_MS })).to.equal('cursor_expired');
    expect(refusalOf(text, { binding: 'other', nowMs: NOW_MS })).to.equal('invalid_cursor');
  });

  it('are refused with the same error for every kind of fault', () => {
    const errors = ['', 'x', 'AAAA', '🙂', 'A'.repeat(MAX_CURSOR_LENGTH + 4), 'A'.repeat(4000)].map((text) =>
      thrownError(() => codec.decode(text, { binding: 'b', nowMs: NOW_MS })),
    );
    for (const error of errors) {
      expect([error.code, error.status]).to.deep.equal(['invalid_cursor', 400]);
      expect(error.violations).to.deep.equal([{ path: 'query.cursor', message: 'invalid' }]);
    }
    expect(new Set(errors.map((error) => error.message)).size).to.equal(1);
  });

  it('refuse any text that the node did not write', () => {
    const forged = fc.property(
      fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[A-Za-z0-9_-]{20,60}$/)),
      (text) => {
        return refusalOf(text, { binding: 'b' }) === 'invalid_cursor';
      },
    );
    fc.assert(forged, { numRuns: RUNS });
  });

  it('name expiry as the reason when they have expired', () => {
    const text = codec.encode({ position: [1], binding: 'b', expiresMs: 0 });
    const error = thrownError(() => codec.decode(text, { binding: 'b', nowMs: NOW_MS }));
    expect([error.status, error.message]).to.deep.equal([400, 'pagination cursor has expired']);
    expect(error.violations).to.deep.equal([{ path: 'query.cursor', message: 'expired' }]);
  });

  it('fit the longest names that a fact can have', () => {
    const sent = ['𐀀'.repeat(2048), '𐀀'.repeat(256), 1, 0.5];
    const text = codec.encode({ position: sent, binding: 'b' });
    expect(text).to.have.length.at.most(MAX_CURSOR_LENGTH);
    expect(codec.decode(text, { binding: 'b', nowMs: NOW_MS })).to.deep.equal(sent);
    expect(() => codec.encode({ position: ['x'.repeat(MAX_CURSOR_LENGTH)], binding: 'b' })).to.throw(RangeError);
  });

  it('do not contain caller and query in readable form', () => {
    const text = codec.encode({ position: [1], binding: 'agent:secretive' });
    expect(Buffer.from(text, 'base64url').toString('latin1')).not.to.contain('secretive');
  });

  it('require a secret of sufficient length', () => {
    expect(() => createCursorCodec(new Uint8Array(15))).to.throw(RangeError);
  });
});
