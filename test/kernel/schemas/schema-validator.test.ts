import { expect } from 'chai';
import { compileSchema, UNFAITHFUL_NUMBER } from '../../../kernel/internal-api.ts';
import { schema } from '../../../kernel/plugin-api.ts';
import { requireCompilable } from '../../../kernel/schemas/schema-validator.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const check = compileSchema(
  schema<unknown>({
    type: 'object',
    additionalProperties: false,
    required: ['name', 'value'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 4, pattern: '^[a-z]+$', env: 'NAME' },
      value: {
        type: 'object',
        required: ['type'],
        properties: { type: { enum: ['string', 'number'] }, v: { type: ['number', 'null'] } },
      },
      list: { type: 'array', items: { type: 'integer', minimum: 0 }, maxItems: 9000, uniqueItems: false },
      mode: { const: 'on' },
      'odd name': { type: 'boolean' },
    },
  }),
);

const violations = (value: unknown): Record<string, string> => {
  const error = thrownError(() => check(value, 'body'));
  expect([error.code, error.status]).to.deep.equal(['validation', 422]);
  return Object.fromEntries((error.violations ?? []).map(({ path, message }) => [path, message]));
};

describe('a compiled schema', () => {
  it('accepts and returns a valid value', () => {
    const value = { name: 'ab', value: { type: 'number', v: 1 } };
    expect(check(value, 'body')).to.equal(value);
  });

  it('names every invalid member', () => {
    const value = {
      name: 'toolong',
      value: { type: 'x', v: 'y' },
      list: [1, -1, 1.5],
      mode: 'off',
      'odd name': 1,
      more: 1,
      valeu: 1,
    };
    expect(violations(value)).to.deep.equal({
      'body.more': 'is not a known member; did you mean mode?',
      'body.valeu': 'is not a known member; did you mean value?',
      'body.name': 'must have at most 4 characters',
      'body.value.type': 'must be one of "string", "number"',
      'body.value.v': 'must be a number or null',
      'body.list[1]': 'must be at least 0',
      'body.list[2]': 'must be an integer',
      'body.mode': 'must be "on"',
      'body["odd name"]': 'must be true or false',
    });
  });

  it('names missing members, and the document itself', () => {
    expect(violations({ value: {} })).to.deep.equal({ 'body.name': 'is required', 'body.value.type': 'is required' });
    expect(violations(null)).to.deep.equal({ body: 'must be an object' });
    expect(violations([])).to.deep.equal({ body: 'must be an object' });
  });

  it('never repeats a value in an error', () => {
    const secret = 'correct horse';
    const error = thrownError(() => check({ name: secret, value: { type: secret, v: secret }, mode: secret }, 'body'));
    expect(JSON.stringify([error.message, error.violations])).not.to.contain(secret);
  });

  it('reports the first errors, and the number of others', () => {
    expect(thrownError(() => check({ name: 'ab' }, 'body')).message).to.equal('body.value is required');
    expect(thrownError(() => check({}, 'body[3]')).message).to.equal(
      'body[3].name is required (and 1 more, see errors)',
    );
  });

  it('refuses with the status that the caller gives', () => {
    expect(thrownError(() => check({}, 'query', 400)).status).to.equal(400);
  });

  it('accepts neither NaN nor infinity as a number', () => {
    for (const v of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]) {
      expect(violations({ name: 'a', value: { type: 'number', v } })).to.deep.equal({
        'body.value.v': UNFAITHFUL_NUMBER,
      });
    }
  });

  it('limits its message about a hostile value', () => {
    const few = thrownError(() => check({ name: 'a', value: { type: 'string' }, list: Array(500).fill('x') }, 'body'));
    expect(few.violations).to.have.length(20);
    const many = thrownError(() =>
      check({ name: 'a', value: { type: 'string' }, list: Array(8_999).fill('x') }, 'body'),
    );
    expect(many.violations).to.deep.equal([{ path: 'body.list[0]', message: 'must be an integer' }]);
    const long = thrownError(() => check({ name: 'a', value: { type: 'string' }, ['k'.repeat(10_000)]: 1 }, 'body'));
    expect(long.message.length).to.be.below(200);
  });

  it('is refused when the schema itself is invalid', () => {
    expect(() => requireCompilable(schema<unknown>({ type: 'object', propertys: {} }))).to.throw('propertys');
    expect(() => requireCompilable(schema<unknown>({ type: 'strin' }))).to.throw();
  });
});
