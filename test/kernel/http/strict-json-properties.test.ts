import { expect } from 'chai';
import fc from 'fast-check';
import { parseStrictJson, parseStrictJsonText } from '../../../kernel/http/strict-json.ts';
import { ServiceError } from '../../../ports/service-error.ts';
import { RUNS } from '../../kit/property-runs.ts';
import { thrownError } from '../../kit/thrown-error.ts';

/** Generates few distinct names, so that objects with twelve or more members, and names of equal length, occur. */
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.stringMatching(/^[ab]{1,4}$/),
  fc.constantFrom('__proto__', 'toString', '1'),
);
const leaf = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.maxSafeInteger(),
  fc.boolean(),
  fc.constant(null),
);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 6 }),
    fc.dictionary(name, tie('value'), { maxKeys: 20, noNullPrototype: true }),
  ),
}));

const withoutNul = (text: string): boolean => !text.includes('\\u0000');
const space = fc.stringMatching(/^[ \t\r\n]{0,3}$/);

/** Writes JSON like `JSON.stringify`, but escapes every character of every string. */
const escaped = (text: string): string =>
  text.replace(/"((?:[^"\\]|\\.)*)"/g, (quoted) => {
    const units = Array.from({ length: (JSON.parse(quoted) as string).length }, (_, at) =>
      (JSON.parse(quoted) as string).charCodeAt(at),
    );
    return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`;
  });

/** Returns the document with every number replaced by 0, because a mutated number may no longer fit a double. */
const shapeOf = (document: unknown): string =>
  JSON.stringify(document, (_name, member) => (typeof member === 'number' ? 0 : member));

/** Returns the number of members and elements at all levels. */
const countValues = (document: unknown): number =>
  typeof document === 'object' && document !== null
    ? Object.values(document).reduce((sum: number, member) => sum + 1 + countValues(member), 0)
    : 0;

const outcomeOf = (text: string): unknown => {
  try {
    return { value: parseStrictJsonText(text) };
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
};
const accepts = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('the strict JSON reader for any document', () => {
  it('returns the result of JSON.parse for any spelling', () => {
    const agrees = fc.property(value, fc.nat(4), fc.boolean(), (document, indent, isEscaped) => {
      const plain = JSON.stringify(document, null, indent);
      fc.pre(withoutNul(plain));
      const text = isEscaped ? escaped(plain) : plain;
      expect(parseStrictJson(Buffer.from(text))).to.deep.equal(JSON.parse(text));
      expect(parseStrictJsonText(text)).to.deep.equal(JSON.parse(text));
    });
    fc.assert(agrees, { numRuns: RUNS });
  });

  it('preserves negative zero', () => {
    expect(Object.is(parseStrictJsonText('-0'), -0)).to.equal(true);
    expect(Object.is((parseStrictJsonText('[-0, 1e999]') as number[])[0], -0)).to.equal(true);
  });

  it('accepts nothing that JSON.parse refuses', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '"b"',
      '\\',
      '\\u0041',
      '1',
      '0',
      '-',
      '.',
      'e',
      'true',
      'null',
      ' ',
      '\n',
      '\t',
      '\u0007',
      'x',
      'é',
    );
    const stricter = fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
      const text = pieces.join('');
      const outcome = outcomeOf(text);
      if (typeof outcome === 'object') expect(outcome).to.deep.equal({ value: JSON.parse(text) });
      else if (outcome === 'malformed_json' && accepts(text)) expect(text).to.match(/("[ab]").*\1/s);
    });
    fc.assert(stricter, { numRuns: RUNS * 20 });
  });

  it('refuses a valid document with one character removed, inserted or replaced if and only if JSON.parse does', () => {
    const mutated = fc.property(
      value,
      fc.nat(),
      fc.constantFrom('', '"', '{', ']', ',', ':', '0', '-', 'e', '\\', ' ', '\u0001'),
      fc.boolean(),
      (document, at, put, keep) => {
        const text = JSON.stringify(document);
        fc.pre(withoutNul(text));
        const place = at % (text.length + 1);
        const changed = text.slice(0, place) + put + text.slice(place + (keep ? 0 : 1));
        const outcome = outcomeOf(changed);
        // A mutation may also make two names equal, or break a surrogate pair.
        if (!accepts(changed)) expect(outcome).to.equal('malformed_json');
        else if (typeof outcome === 'object')
          expect(shapeOf((outcome as { value: unknown }).value)).to.equal(shapeOf(JSON.parse(changed)));
      },
    );
    fc.assert(mutated, { numRuns: RUNS * 5 });
  });

  it('refuses an object in which a name occurs twice, at any level', () => {
    const names = fc.uniqueArray(name, { minLength: 1, maxLength: 30 });
    const duplicated = fc.property(
      names,
      fc.nat(),
      fc.nat(),
      space,
      fc.boolean(),
      fc.nat(20),
      (all, from, to, blank, isEscaped, depth) => {
        const again = all[from % all.length] as string;
        const members = all.toSpliced(to % (all.length + 1), 0, again).map((member, at) => {
          const quoted = JSON.stringify(member);
          return `${blank}${isEscaped && at % 2 === 0 ? escaped(quoted) : quoted}${blank}:${at}`;
        });
        const text = `${'[{"x":'.repeat(depth)}{${members.join(',')}}${'}]'.repeat(depth)}`;
        expect(accepts(text)).to.equal(true);
        expect(outcomeOf(text)).to.equal('malformed_json');
      },
    );
    fc.assert(duplicated, { numRuns: RUNS });
  });

  it('allows the same name in different objects', () => {
    expect(parseStrictJsonText('[{"a":{"a":{"a":1}}},{"a":1}]')).to.deep.equal([{ a: { a: { a: 1 } } }, { a: 1 }]);
  });

  it('refuses U+0000 and lone surrogates in any escape', () => {
    const unit = fc.oneof(fc.constantFrom(0, 0x41, 0xd83d, 0xde00, 0xdbff, 0xdfff, 0xd7ff, 0xe000), fc.nat(0xffff));
    const refused = fc.property(fc.array(unit, { maxLength: 8 }), fc.boolean(), (units, isName) => {
      const content = String.fromCharCode(...units);
      const quoted = `"${units.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}"`;
      const outcome = outcomeOf(isName ? `{${quoted}:1}` : `{"a":${quoted}}`);
      if (content.includes('\u0000') || !content.isWellFormed()) expect(outcome).to.equal('validation');
      else expect(outcome).to.deep.equal({ value: isName ? { [content]: 1 } : { a: content } });
    });
    fc.assert(refused, { numRuns: RUNS });
  });

  it('reads documents with the most members and elements, and numbers of any length', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `"k${at}":${at}`).join(',');
    const objects = Array.from({ length: 250 }, () => `{${names}}`).join(',');
    expect(parseStrictJsonText(`[${objects}]`)).to.have.length(250);
    expect(parseStrictJsonText(`[${'1,'.repeat(200_000)}1]`)).to.have.length(200_001);
    expect(
      parseStrictJsonText(`[1e-${'0'.repeat(500_000)}1,0.${'0'.repeat(500_000)}1,1${'0'.repeat(500_000)}]`),
    ).to.have.length(3);
  });

  it('stops at the first member or element beyond the budget, in any document (I21)', () => {
    const bounded = fc.property(value, fc.nat(40), (document, maxValues) => {
      const text = JSON.stringify(document);
      fc.pre(withoutNul(text));
      const budget = { maxValues, values: 0 };
      const count = countValues(document);
      const read = (): unknown => parseStrictJson(Buffer.from(text), 'body', budget);
      if (count > maxValues) expect(thrownError(read).code).to.equal('too_large');
      else expect(read()).to.deep.equal(JSON.parse(text));
      expect(budget.values).to.equal(Math.min(count, maxValues + 1));
    });
    fc.assert(bounded, { numRuns: RUNS });
  });
});
