import { expect } from 'chai';
import fc from 'fast-check';
import { decodeFormText, decodePercent } from '../../../kernel/http/percent-decoding.ts';
import { compileQueryReader } from '../../../kernel/http/read-query.ts';
import { schema } from '../../../kernel/plugin-api.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { thrownError } from '../../kit/thrown-error.ts';

interface Query {
  readonly text?: string;
  readonly limit: number;
  readonly min?: number;
  readonly flag?: boolean;
  readonly names?: readonly string[];
  readonly sizes?: readonly number[];
  readonly maybe?: number | null;
}

const parameters = schema<Query>({
  type: 'object',
  properties: {
    text: { type: 'string', maxLength: 5 },
    limit: { type: 'integer', minimum: 1, maximum: 500, default: 50 },
    min: { type: 'number' },
    flag: { type: 'boolean' },
    names: { type: 'array', items: { type: 'string' } },
    sizes: { type: 'array', items: { type: 'integer' } },
    maybe: { type: ['integer', 'null'] },
  },
});

const read = compileQueryReader(parameters, { others: 'refused' }) as (query: string) => Query;
const readOpenly = compileQueryReader(parameters, { others: 'ignored' }) as (query: string) => Query;

describe('a query', () => {
  const readings: Readonly<Record<string, Partial<Query>>> = {
    '': {},
    'text=a': { text: 'a' },
    'text=': { text: '' },
    text: { text: '' },
    'text=a=b': { text: 'a=b' },
    'text=a+b%2Bc': { text: 'a b+c' },
    'text=%C3%A9%F0%9F%98%80': { text: 'é😀' },
    '%74ext=a': { text: 'a' },
    '&&text=a&': { text: 'a' },
    'limit=7': { limit: 7 },
    'min=-0.5': { min: -0.5 },
    'min=1e-05': { min: 0.00001 },
    'flag=TRUE': { flag: true },
    'flag=False': { flag: false },
    'flag=1': { flag: true },
    'flag=0': { flag: false },
    'names=a&names=b&names=a': { names: ['a', 'b', 'a'] },
    'names=a%2Cb': { names: ['a,b'] },
    'sizes=1&sizes=2': { sizes: [1, 2] },
    'maybe=3': { maybe: 3 },
  };
  for (const [query, expected] of Object.entries(readings)) {
    it(`reads "${query}"`, () => expect(read(query)).to.deep.equal({ limit: 50, ...expected }));
  }

  const odd = 'limit[]=1&limit[a]=1&Limit=x&x=1&x=2&__proto__=1&constructor=1&__proto__[admin]=1';

  it('may not contain undeclared names: all are reported at once, each with the most similar known name', () => {
    const error = thrownError(() => read(`${odd}&max=5&limit=0&flag=maybe`));
    expect([error.status, error.code]).to.deep.equal([400, 'validation']);
    expect(error.violations).to.deep.equal([
      { path: 'query["limit[]"]', message: 'is not a known parameter; did you mean limit?' },
      { path: 'query["limit[a]"]', message: 'is not a known parameter' },
      { path: 'query.Limit', message: 'is not a known parameter; did you mean limit?' },
      { path: 'query.x', message: 'is not a known parameter' },
      { path: 'query.__proto__', message: 'is not a known parameter' },
      { path: 'query.constructor', message: 'is not a known parameter' },
      { path: 'query["__proto__[admin]"]', message: 'is not a known parameter' },
      { path: 'query.max', message: 'is not a known parameter' },
      { path: 'query.flag', message: 'must be true, false, 1 or 0' },
      { path: 'query.limit', message: 'must be at least 1' },
    ]);
  });

  it('of an open document may contain undeclared names, any number of times', () => {
    expect(readOpenly(odd)).to.deep.equal({ limit: 50 });
    expect(Object.getPrototypeOf(readOpenly(odd))).to.equal(Object.prototype);
  });

  it('masks a long unknown name, and names twenty of a thousand unknown names', () => {
    const long = thrownError(() => read(`${'n'.repeat(10_000)}=secret`));
    expect(long.violations).to.deep.equal([{ path: 'query["***"]', message: 'is not a known parameter' }]);
    const flood = thrownError(() => read(Array.from({ length: 1_000 }, (_, at) => `x${at}=secret`).join('&')));
    expect(flood.violations).to.have.length(20);
    expect(JSON.stringify([long.message, flood.message, flood.violations])).not.to.contain('secret');
  });

  const refusals: Readonly<Record<string, readonly [path: string, message: string]>> = {
    'limit=1&limit=1': ['query.limit', 'must be given once'],
    'limit=': ['query.limit', 'must be an integer'],
    'limit=0': ['query.limit', 'must be at least 1'],
    'limit=501': ['query.limit', 'must be at most 500'],
    'limit=-1': ['query.limit', 'must be at least 1'],
    'limit=2.0': ['query.limit', 'must be an integer'],
    'limit=2+': ['query.limit', 'must be an integer'],
    'limit=03': ['query.limit', 'must be an integer'],
    'limit=%2B3': ['query.limit', 'must be an integer'],
    'limit=0x10': ['query.limit', 'must be an integer'],
    'limit=1e2': ['query.limit', 'must be an integer'],
    'limit=９': ['query.limit', 'is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
    'limit=%EF%BC%99': ['query.limit', 'must be an integer'],
    'limit=9007199254740993': ['query.limit', 'must be an integer'],
    'min=NaN': ['query.min', 'must be a number'],
    'min=Infinity': ['query.min', 'must be a number'],
    'min=1e999': ['query.min', 'must be a number'],
    'min=.5': ['query.min', 'must be a number'],
    'min=1_000': ['query.min', 'must be a number'],
    'flag=yes': ['query.flag', 'must be true, false, 1 or 0'],
    'flag=': ['query.flag', 'must be true, false, 1 or 0'],
    'sizes=1&sizes=x': ['query.sizes', 'must be an integer'],
    'text=abcdef': ['query.text', 'must have at most 5 characters'],
    'text=%E0%A4%A': ['query.text', 'is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
    'text=%00': ['query.text', 'is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
    'text=%ED%A0%80': ['query.text', 'is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
    'text=%C0%80': ['query.text', 'is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
    'unknown=%zz': ['query.unknown', 'is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
    '%zz=1': ['query', 'has a name that is not valid percent-encoded UTF-8 text, or holds the character U+0000'],
  };
  for (const [query, [path, message]] of Object.entries(refusals)) {
    it(`refuses "${query}"`, () => {
      const error = thrownError(() => read(query));
      expect([error.status, error.code]).to.deep.equal([400, 'validation']);
      expect(error.violations).to.deep.equal([{ path, message }]);
      expect(error.message).to.equal(`${path} ${message}`);
    });
  }

  it('names every invalid parameter, up to a limit', () => {
    const error = thrownError(() => read('limit=x&min=y&flag=z'));
    expect(error.violations?.map(({ path }) => path)).to.deep.equal(['query.limit', 'query.min', 'query.flag']);
    const flood = thrownError(() => read('limit=x&'.repeat(2_000)));
    expect(flood.violations).to.deep.equal([{ path: 'query.limit', message: 'must be an integer' }]);
  });

  it('of a route without parameters is empty, or that of an open document', () => {
    const ignore = compileQueryReader(undefined, { others: 'ignored' });
    expect(ignore('a=1&a=2')).to.equal(undefined);
    expect(thrownError(() => ignore('a=%')).status).to.equal(400);
    const refuse = compileQueryReader(undefined, { others: 'refused' });
    expect(refuse('')).to.equal(undefined);
    expect(refuse('&&')).to.equal(undefined);
    expect(thrownError(() => refuse('a=1&a=2')).violations).to.deep.equal([
      { path: 'query.a', message: 'is not a known parameter' },
    ]);
  });
});

describe('percent-decoding', () => {
  it('decodes any encoded text, once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const encoded = encodeURIComponent(text);
        expect(decodePercent(encoded)).to.equal(text.includes('\0') ? undefined : text);
        expect(decodePercent(encodeURIComponent(encoded))).to.equal(encoded);
      }),
      { numRuns: RUNS },
    );
  });

  it('reads the text of a form as URLSearchParams does, and refuses what URLSearchParams would repair', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '%', '4', '1', 'C', '3', 'A', '+', '9') }), (text) => {
        const guessed = new URLSearchParams(`x=${text}`).get('x');
        const decoded = decodeFormText(text);
        if (decoded !== undefined) expect(decoded).to.equal(guessed);
        else expect(text).to.include('%');
      }),
      { numRuns: RUNS },
    );
  });

  it('refuses characters that must be encoded', () => {
    for (const text of ['é', '\u{1f600}', '\ud800', 'a\nb', '\u007f', '\0'])
      expect(decodePercent(text), text).to.equal(undefined);
  });
});
