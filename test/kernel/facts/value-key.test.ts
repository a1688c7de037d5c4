import { expect } from 'chai';
import fc from 'fast-check';
import { MAX_VALUE_KEY_LENGTH, valueKey } from '../../../kernel/facts/fact-value.ts';
import { matchKey } from '../../../kernel/facts/match-key.ts';
import { createServiceNames } from '../../../kernel/identity/service-names.ts';
import type { FactValue, ValueType } from '../../../ports/fact.ts';
import { formatInstant, parseDateOrInstant } from '../../../ports/instant.ts';
import { RUNS } from '../../kit/property-runs.ts';

const names = createServiceNames('svc');
const typed = (type: ValueType, v: FactValue['v'], interpretAs: FactValue['interpretAs'] = 'content'): FactValue => ({
  type,
  v,
  interpretAs,
});
const keyOf = (type: ValueType, v: FactValue['v']): string => valueKey(typed(type, v), names);

/** Short alphabets, so that equal values are frequent. */
const plainText = fc.oneof(
  fc.stringMatching(/^[ab:#]{0,3}$/),
  fc.constantFrom('a'.repeat(121), 'a'.repeat(122), 'null', 'true', '1'),
);
const uri = fc.constantFrom(
  'user:alice',
  'User:Alice',
  ' user:alice ',
  'user:al ice',
  'user:al-ice',
  'svc://H/u/a b',
  'svc://h/u/a-b',
);
const datetime = fc.oneof(
  fc.integer({ min: 0, max: 3 }).map((day) => formatInstant(day * 86_400_000)),
  fc.constantFrom('1970-01-02', '1970-01-02T01:00:00+01:00', '1970-01-03T00:00:00.000Z', '1970-01-03T00:00:00.0001Z'),
);
const value: fc.Arbitrary<FactValue> = fc.oneof(
  fc.record({
    type: fc.constantFrom<ValueType>('string', 'text'),
    v: plainText,
    interpretAs: fc.constantFrom('content', 'instruction'),
  }),
  fc.record({
    type: fc.constant<ValueType>('number'),
    v: fc.oneof(fc.constantFrom(0, -0, 1, 1.5, 1e21), fc.double({ noNaN: true, noDefaultInfinity: true })),
    interpretAs: fc.constantFrom('content', 'instruction'),
  }),
  fc.record({ type: fc.constant<ValueType>('boolean'), v: fc.boolean(), interpretAs: fc.constant('content' as const) }),
  fc.record({ type: fc.constant<ValueType>('datetime'), v: datetime, interpretAs: fc.constant('content' as const) }),
  fc.record({ type: fc.constant<ValueType>('ref'), v: uri, interpretAs: fc.constant('content' as const) }),
  fc.constant(typed('null', null)),
);

/** Compares values without their keys. Every instant above has whole milliseconds, or is written in one way only. */
const areEqual = (a: FactValue, b: FactValue): boolean => {
  if (a.type !== b.type) return false;
  if (a.type === 'ref') return matchKey(a.v as string, names) === matchKey(b.v as string, names);
  if (a.type !== 'datetime' || a.v === b.v) return a.v === b.v;
  const isFine = /\.\d{4}/.test(a.v as string) || /\.\d{4}/.test(b.v as string);
  return !isFine && parseDateOrInstant(a.v as string) === parseDateOrInstant(b.v as string);
};

describe('value keys', () => {
  it('are equal exactly when the values are', () => {
    const agrees = fc.property(value, value, (a, b) => {
      expect(valueKey(a, names) === valueKey(b, names)).to.equal(areEqual(a, b));
    });
    fc.assert(agrees, { numRuns: RUNS * 5 });
  });

  it('ignore the interpretation of a value, such as instruction', () => {
    expect(valueKey(typed('text', 'x', 'instruction'), names)).to.equal(valueKey(typed('text', 'x'), names));
  });

  it('differ for different types with the same text', () => {
    const sameText = [keyOf('string', '1'), keyOf('text', '1'), keyOf('number', 1), keyOf('ref', '1')];
    expect(new Set(sameText).size).to.equal(4);
    expect(keyOf('string', 'null')).not.to.equal(keyOf('null', null));
    expect(keyOf('string', 'true')).not.to.equal(keyOf('boolean', true));
    expect(keyOf('string', '2026-03-02')).not.to.equal(keyOf('datetime', '2026-03-02'));
  });

  it('compare numbers numerically', () => {
    expect(keyOf('number', JSON.parse('1.0'))).to.equal(keyOf('number', 1));
    expect(keyOf('number', -0)).to.equal(keyOf('number', 0));
    expect(keyOf('number', 0.1 + 0.2)).not.to.equal(keyOf('number', 0.3));
  });

  it('compare datetimes by instant, beyond the millisecond too', () => {
    expect(keyOf('datetime', '2026-03-02T09:15:04+02:00')).to.equal(keyOf('datetime', '2026-03-02T07:15:04.000Z'));
    expect(keyOf('datetime', '2026-03-02')).to.equal(keyOf('datetime', '2026-03-02T00:00:00Z'));
    expect(keyOf('datetime', '2026-03-02T00:00:00.0001Z')).not.to.equal(keyOf('datetime', '2026-03-02T00:00:00.0002Z'));
  });

  it('compare refs by match key and text by code points', () => {
    expect(keyOf('ref', ' User:Alice B')).to.equal(keyOf('ref', 'user:alice-b'));
    expect(keyOf('string', 'A')).not.to.equal(keyOf('string', 'a'));
    expect(keyOf('string', 'é')).not.to.equal(keyOf('string', 'e\u0301'));
  });

  it('are bounded, and still differ for long values', () => {
    const long = fc.string({ minLength: 100, maxLength: 400, unit: 'binary' });
    const bounded = fc.property(long, long, fc.constantFrom<ValueType>('string', 'text'), (a, b, type) => {
      expect(keyOf(type, a)).to.have.length.at.most(MAX_VALUE_KEY_LENGTH);
      expect(keyOf(type, a) === keyOf(type, b)).to.equal(a === b);
    });
    fc.assert(bounded, { numRuns: RUNS });
    expect(keyOf('ref', `user:${'A'.repeat(2000)}`)).to.equal(keyOf('ref', `user:${'a'.repeat(2000)}`));
    expect(keyOf('text', 'x'.repeat(2 ** 20))).to.have.length.at.most(MAX_VALUE_KEY_LENGTH);
  });

  it('of a long text never equals the key of a short one', () => {
    const long = keyOf('string', 'x'.repeat(1000));
    expect(keyOf('string', long.slice(2))).not.to.equal(long);
    expect(keyOf('string', long)).not.to.equal(long);
  });
});
