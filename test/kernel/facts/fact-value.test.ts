import { expect } from 'chai';
import { MAX_STRING_BYTES, MAX_TEXT_BYTES, readFactValue, valueText } from '../../../kernel/facts/fact-value.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const read = (input: unknown) => readFactValue(input, 'body.value');

describe('reading a value', () => {
  const good: readonly (readonly [type: string, v: unknown])[] = [
    ['string', ''],
    ['string', '\u0001 ☃ 😀'],
    ['string', '<script>; DROP TABLE facts'],
    ['text', 'a\nb'],
    ['number', 0],
    ['number', -0],
    ['number', 1e21],
    ['number', 5e-324],
    ['boolean', true],
    ['boolean', false],
    ['datetime', '2026-03-02T09:15:04.120+02:00'],
    ['datetime', '2026-03-02'],
    ['ref', 'svc://h/user/alice'],
    ['ref', ' Bare Opaque '],
    ['ref', `${' '.repeat(2042)}user:b`],
    ['null', null],
  ];
  for (const [type, v] of good) {
    it(`keeps ${type} ${JSON.stringify(v).slice(0, 50)} exactly`, () => {
      const value = read({ type, v });
      expect(value).to.deep.equal({ type, v, interpretAs: 'content' });
      expect(Object.is(value.v, v)).to.equal(true);
    });
  }

  it('returns null for an absent null', () => {
    expect(read({ type: 'null' })).to.deep.equal({ type: 'null', v: null, interpretAs: 'content' });
  });

  it('reads interpret_as, and leaves unknown members to the schema of the body', () => {
    expect(read({ type: 'text', v: 'x', interpret_as: 'instruction', extra: 1 })).to.deep.equal({
      type: 'text',
      v: 'x',
      interpretAs: 'instruction',
    });
    expect(read({ type: 'text', v: 'x', interpret_as: 'content' }).interpretAs).to.equal('content');
  });

  const bad: readonly (readonly [input: unknown, path: string])[] = [
    [undefined, 'body.value'],
    [null, 'body.value'],
    ['CEO', 'body.value'],
    [[], 'body.value'],
    [{}, 'body.value.type'],
    [{ v: 'x' }, 'body.value.type'],
    [{ type: 'blob', v: 'x' }, 'body.value.type'],
    [{ type: 'String', v: 'x' }, 'body.value.type'],
    [{ type: ['string'], v: 'x' }, 'body.value.type'],
    [{ type: 'toString', v: 'x' }, 'body.value.type'],
    [{ type: 'string' }, 'body.value.v'],
    [{ type: 'string', v: 5 }, 'body.value.v'],
    [{ type: 'string', v: null }, 'body.value.v'],
    [{ type: 'string', v: 'a\u0000' }, 'body.value.v'],
    [{ type: 'text', v: '\ud800' }, 'body.value.v'],
    [{ type: 'text', v: ['x'] }, 'body.value.v'],
    [{ type: 'number', v: '5' }, 'body.value.v'],
    [{ type: 'number', v: Number.NaN }, 'body.value.v'],
    [{ type: 'number', v: Number.POSITIVE_INFINITY }, 'body.value.v'],
    [{ type: 'number', v: true }, 'body.value.v'],
    [{ type: 'number' }, 'body.value.v'],
    [{ type: 'boolean', v: 'true' }, 'body.value.v'],
    [{ type: 'boolean', v: 1 }, 'body.value.v'],
    [{ type: 'datetime', v: 'x' }, 'body.value.v'],
    [{ type: 'datetime', v: '2026-02-30' }, 'body.value.v'],
    [{ type: 'datetime', v: 1_772_442_904_120 }, 'body.value.v'],
    [{ type: 'ref', v: '' }, 'body.value.v'],
    [{ type: 'ref', v: '  ' }, 'body.value.v'],
    [{ type: 'ref', v: 'a\nb' }, 'body.value.v'],
    [{ type: 'ref', v: 'x'.repeat(2049) }, 'body.value.v'],
    [{ type: 'ref', v: `${' '.repeat(2043)}user:b` }, 'body.value.v'],
    [{ type: 'ref', v: null }, 'body.value.v'],
    [{ type: 'null', v: 1 }, 'body.value.v'],
    [{ type: 'null', v: '' }, 'body.value.v'],
    [{ type: 'null', v: false }, 'body.value.v'],
    [{ type: 'text', v: 'x', interpret_as: 'code' }, 'body.value.interpret_as'],
    [Object.create({ type: 'string', v: 'inherited' }), 'body.value.type'],
  ];
  for (const [input, path] of bad) {
    it(`refuses ${JSON.stringify(input)?.slice(0, 50)} at ${path}`, () => {
      const error = thrownError(() => read(input));
      expect([error.code, error.status]).to.deep.equal(['validation', 422]);
      expect(error.violations?.map((violation) => violation.path)).to.deep.equal([path]);
    });
  }

  it('bounds string and text by their bytes in UTF-8', () => {
    expect(read({ type: 'string', v: 'a'.repeat(MAX_STRING_BYTES) }).v).to.have.length(16_384);
    expect(read({ type: 'text', v: 'é'.repeat(MAX_TEXT_BYTES / 2) }).v).to.have.length(524_288);
    const tooLong = [
      { type: 'string', v: 'a'.repeat(MAX_STRING_BYTES + 1) },
      { type: 'string', v: 'é'.repeat(MAX_STRING_BYTES / 2 + 1) },
      { type: 'text', v: 'a'.repeat(MAX_TEXT_BYTES + 1) },
      { type: 'text', v: '😀'.repeat(MAX_TEXT_BYTES / 4 + 1) },
    ];
    for (const input of tooLong) {
      const error = thrownError(() => read(input));
      expect([error.code, error.status]).to.deep.equal(['value_too_large', 413]);
      expect(error.message).to.contain('body.value.v');
    }
  });

  it('never repeats the value in a message', () => {
    const secret = 'hunter2';
    for (const type of ['number', 'boolean', 'datetime', 'null']) {
      const error = thrownError(() => read({ type, v: secret }));
      expect(JSON.stringify([error.message, error.hint, error.violations])).not.to.contain(secret);
    }
  });
});

describe('the text of a value', () => {
  it('is v itself for texts and its JSON form otherwise', () => {
    const texts = [
      { type: 'string', v: 'CEO' },
      { type: 'ref', v: 'user:bob' },
      { type: 'datetime', v: '2026-03-02' },
      { type: 'number', v: 1e21 },
      { type: 'boolean', v: false },
      { type: 'null' },
    ].map((input) => valueText(read(input)));
    expect(texts).to.deep.equal(['CEO', 'user:bob', '2026-03-02', '1e+21', 'false', 'null']);
  });
});
