import { expect } from 'chai';
import fc from 'fast-check';
import { typedValue } from '../../../kernel/commands/typed-value.ts';
import { RUNS } from '../../kit/property-runs.ts';

describe('the type of a value on the command line', () => {
  for (const [word, type, v] of [
    ['CEO', 'string', 'CEO'],
    ['', 'string', ''],
    ['true', 'boolean', true],
    ['True', 'string', 'True'],
    ['12.5', 'number', 12.5],
    ['-3', 'number', -3],
    ['007', 'string', '007'],
    ['1.10', 'string', '1.10'],
    ['1e3', 'string', '1e3'],
    ['9007199254740993', 'string', '9007199254740993'],
    ['Infinity', 'string', 'Infinity'],
    ['null', 'string', 'null'],
    ['user:bob', 'string', 'user:bob'],
    ['2026-03-02', 'string', '2026-03-02'],
    ['2026-03-02T09:00:00Z', 'datetime', '2026-03-02T09:00:00Z'],
    ['two\nlines', 'text', 'two\nlines'],
    ['x'.repeat(16_385), 'text', 'x'.repeat(16_385)],
  ] as const) {
    it(`is guessed: ${JSON.stringify(word.slice(0, 20))} is a ${type}`, () => {
      expect(typedValue(word, undefined)).to.deep.equal({ value: { type, v }, isGuessed: true });
    });
  }

  it('is guessed only if the text can be restored from the value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)), (word) => {
        expect(String(typedValue(word, undefined).value.v)).to.equal(word);
      }),
      { numRuns: RUNS },
    );
  });

  it('is the requested one, or the value is refused', () => {
    expect(typedValue('42', 'string').value).to.deep.equal({ type: 'string', v: '42' });
    expect(typedValue('1e3', 'number').value).to.deep.equal({ type: 'number', v: 1_000 });
    expect(typedValue('user:bob', 'ref').value).to.deep.equal({ type: 'ref', v: 'user:bob' });
    expect(typedValue('null', 'null').value).to.deep.equal({ type: 'null', v: null });
    for (const [word, type] of [
      ['many', 'number'],
      [' ', 'number'],
      ['1e999', 'number'],
      ['yes', 'boolean'],
      ['nothing', 'null'],
      ['x', 'colour'],
    ] as const) {
      expect(() => typedValue(word, type), type).to.throw();
    }
  });
});
