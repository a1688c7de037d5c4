import { expect } from 'chai';
import fc from 'fast-check';
import { canonicalJson, MAX_CANONICAL_DEPTH } from '../../../kernel/crypto/canonical-json.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { thrownError } from '../../kit/thrown-error.ts';
import { DOCUMENT_VECTORS, NUMBER_VECTORS, STRING_VECTORS } from './canonical-json-vectors.ts';

const json = fc.jsonValue({ stringUnit: 'binary' });

const doubleOf = (bits: string): number => Buffer.from(bits, 'hex').readDoubleBE(0);

/** Returns the same value with the members of every object in reverse order. */
const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([name, member]) => [name, reversed(member)]));
};

const nested = (levels: number, isObject = false): unknown => {
  let value: unknown = 0;
  for (let level = 0; level < levels; level += 1) value = isObject ? { a: value } : [value];
  return value;
};

describe('the canonical form of JSON', () => {
  it('is checked against two hundred fixed vectors', () => {
    expect(NUMBER_VECTORS.length + STRING_VECTORS.length + DOCUMENT_VECTORS.length).to.be.at.least(200);
  });

  it('writes numbers as RFC 8785 lists them', () => {
    for (const [bits, text] of NUMBER_VECTORS) expect(canonicalJson(doubleOf(bits)), bits).to.equal(text);
  });

  it('writes strings with the fewest escapes', () => {
    for (const [text, form] of STRING_VECTORS) {
      expect(canonicalJson(text), form).to.equal(form);
      expect(canonicalJson({ [text]: 0 }), form).to.equal(`{${form}:0}`);
    }
  });

  it('writes documents with sorted members and no white space', () => {
    for (const [sent, form] of DOCUMENT_VECTORS) expect(canonicalJson(JSON.parse(sent)), sent).to.equal(form);
  });

  it('is unchanged when canonicalised again', () => {
    const idempotent = fc.property(json, (value) => {
      const form = canonicalJson(value);
      expect(canonicalJson(JSON.parse(form))).to.equal(form);
    });
    fc.assert(idempotent, { numRuns: RUNS });
  });

  it('parses to the original value', () => {
    const kept = fc.property(json, (value) => {
      // The comparison as text treats 0 and -0 as equal, as the canonical form does.
      expect(JSON.parse(canonicalJson(value))).to.deep.equal(JSON.parse(JSON.stringify(value)));
    });
    fc.assert(kept, { numRuns: RUNS });
  });

  it('does not depend on the order of members', () => {
    fc.assert(
      fc.property(json, (value) => canonicalJson(reversed(value)) === canonicalJson(value)),
      { numRuns: RUNS },
    );
  });

  it('differs for different values', () => {
    const injective = fc.property(json, json, (a, b) => {
      const equal = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
      expect(canonicalJson(a) === canonicalJson(b)).to.equal(equal);
    });
    fc.assert(injective, { numRuns: RUNS });
  });

  it('differs when one member is added', () => {
    const differs = fc.property(fc.dictionary(fc.string(), json), fc.string(), json, (object, name, member) => {
      fc.pre(!Object.hasOwn(object, name));
      const added = Object.fromEntries([...Object.entries(object), [name, member]]);
      expect(canonicalJson(added)).not.to.equal(canonicalJson(object));
    });
    fc.assert(differs, { numRuns: RUNS });
  });

  const formless: readonly (readonly [title: string, value: unknown])[] = [
    ['NaN', Number.NaN],
    ['Infinity inside', { a: [Number.NEGATIVE_INFINITY] }],
    ['a lone surrogate', 'a\ud800'],
    ['a lone surrogate in a name', { a: { '\udc00': 1 } }],
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['an undefined item', [undefined]],
    ['an array with a hole', new Array(1)],
    ['a function', { toJSON: () => 1 }],
    ['a symbol', [Symbol('x')]],
    ['a bigint', { a: 1n }],
    ['a date', new Date(0)],
    ['a map', { a: new Map() }],
    ['bytes', new Uint8Array(1)],
  ];
  for (const [title, value] of formless) {
    it(`rejects ${title}`, () => {
      expect(thrownError(() => canonicalJson(value)).code).to.equal('validation');
    });
  }

  it('rejects values that are nested deeper than any body, without exhausting the stack', () => {
    expect(canonicalJson(nested(MAX_CANONICAL_DEPTH))).to.have.length(MAX_CANONICAL_DEPTH * 2 + 1);
    expect(thrownError(() => canonicalJson(nested(MAX_CANONICAL_DEPTH + 1))).code).to.equal('validation');
    expect(thrownError(() => canonicalJson(nested(200_000))).code).to.equal('validation');
    expect(canonicalJson(nested(MAX_CANONICAL_DEPTH, true))).to.contain('{"a":0}');
    expect(thrownError(() => canonicalJson(nested(MAX_CANONICAL_DEPTH + 1, true))).code).to.equal('validation');
  });
});

/** Converts objects into sorted lists of members, independently of the code under test. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return ['array', value.map(sorted)];
  if (typeof value !== 'object' || value === null) return value;
  return [
    'object',
    Object.entries(value)
      .map(([name, member]) => [name, sorted(member)])
      .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
  ];
};
