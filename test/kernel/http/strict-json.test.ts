import { expect } from 'chai';
import { parseStrictJson, parseStrictJsonText } from '../../../kernel/http/strict-json.ts';
import { thrownError } from '../../kit/thrown-error.ts';

const parse = (text: string): unknown => parseStrictJson(Buffer.from(text));
const refusal = (text: string) => thrownError(() => parse(text));

describe('the strict JSON reader', () => {
  const malformed: readonly (readonly [text: string, place: string])[] = [
    [' ', 'no JSON value at line 1, column 2'],
    ['{', 'no member name in double quotes at line 1, column 2'],
    ['[', 'no JSON value at line 1, column 2'],
    ['{"a":1}x', 'data after the end of the document at line 1, column 8'],
    ['{"a":1}\n{"b":2}', 'data after the end of the document at line 2, column 1'],
    ['1 2', 'data after the end of the document at line 1, column 3'],
    ['{"a":1,}', 'no member name in double quotes at line 1, column 8'],
    ['[1,]', 'no JSON value at line 1, column 4'],
    ['[1 2]', 'neither a comma nor the end of the array at line 1, column 4'],
    ['{"a" 1}', 'no colon after a member name at line 1, column 6'],
    ['{"a":1 "b":2}', 'neither a comma nor the end of the object at line 1, column 8'],
    ['{a:1}', 'no member name in double quotes at line 1, column 2'],
    ["{'a':1}", 'no member name in double quotes at line 1, column 2'],
    ["['a']", 'no JSON value at line 1, column 2'],
    ['/* x */ {}', 'no JSON value at line 1, column 1'],
    ['{} // x', 'data after the end of the document at line 1, column 4'],
    ['NaN', 'no JSON value at line 1, column 1'],
    ['[Infinity]', 'no JSON value at line 1, column 2'],
    ['True', 'no JSON value at line 1, column 1'],
    ['nul', 'no JSON value at line 1, column 1'],
    ['truefalse', 'data after the end of the document at line 1, column 5'],
    ['01', 'a number with a leading zero at line 1, column 1'],
    ['-', 'a number without digits at line 1, column 2'],
    ['-01', 'a number with a leading zero at line 1, column 1'],
    ['00', 'a number with a leading zero at line 1, column 1'],
    ['+1', 'no JSON value at line 1, column 1'],
    ['.5', 'no JSON value at line 1, column 1'],
    ['1.', 'a number that breaks off at line 1, column 3'],
    ['1e', 'a number that breaks off at line 1, column 3'],
    ['1e+', 'a number that breaks off at line 1, column 4'],
    ['0x1', 'data after the end of the document at line 1, column 2'],
    ['1_000', 'data after the end of the document at line 1, column 2'],
    ['"a', 'the end inside a string at line 1, column 3'],
    ['"a\\', 'an unknown escape at line 1, column 3'],
    ['"\\x41"', 'an unknown escape at line 1, column 2'],
    ['"\\u00g0"', 'a broken \\u escape at line 1, column 2'],
    ['"\\u004', 'a broken \\u escape at line 1, column 2'],
    ['"a\nb"', 'a control character in a string at line 1, column 3'],
    ['"\u0000"', 'a control character in a string at line 1, column 2'],
    ['{\n  "a": "x\ty"\n}', 'a control character in a string at line 2, column 10'],
    ['\u00a0{}', 'no JSON value at line 1, column 1'],
    ['{"a":1,"a":2}', 'a member name that its object already has at line 1, column 8'],
    ['{"a":1,"\\u0061":2}', 'a member name that its object already has at line 1, column 8'],
    ['{"\\u0061":1,"a":2}', 'a member name that its object already has at line 1, column 13'],
    ['[{"x":{"é":1,"b":2,"é":3}}]', 'a member name that its object already has at line 1, column 20'],
    ['{"__proto__":1,"__proto__":2}', 'a member name that its object already has at line 1, column 16'],
    ['{"":1,"":2}', 'a member name that its object already has at line 1, column 7'],
  ];
  for (const [text, place] of malformed) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      const error = refusal(text);
      expect([error.code, error.status]).to.deep.equal(['malformed_json', 400]);
      expect(error.message).to.equal(`the body is not valid JSON: ${place}`);
    });
  }

  it('reports an empty body', () => {
    expect(refusal('').message).to.equal('the body is empty; send a JSON document');
  });

  it('refuses a byte order mark, before any text', () => {
    expect(refusal('\ufeff{}').message).to.contain('a byte order mark');
    expect(thrownError(() => parseStrictJson(Buffer.from('{}', 'utf16le'))).code).to.equal('malformed_json');
    expect(thrownError(() => parseStrictJson(Buffer.from('\ufeff{}', 'utf16le'))).code).to.equal('malformed_json');
  });

  const invalidUtf8 = [
    'ff',
    'c080',
    'c0af',
    'e08080',
    'eda080',
    'edbfbf',
    'f4908080',
    'f8888080',
    'c3',
    'e282',
    '80',
    'f09f98',
  ];
  for (const hex of invalidUtf8) {
    it(`refuses the bytes ${hex} in a string`, () => {
      const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(hex, 'hex'), Buffer.from('"}')]);
      const error = thrownError(() => parseStrictJson(bytes));
      expect([error.code, error.status]).to.deep.equal(['malformed_json', 400]);
      expect(error.message).to.equal('the body is not valid UTF-8');
    });
  }

  it('accepts 64 levels of nesting and refuses any more', () => {
    const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    const objects = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    expect(parse(nested(64))).to.deep.equal(JSON.parse(nested(64)));
    expect(parse(objects(64))).to.deep.equal(JSON.parse(objects(64)));
    for (const text of [nested(65), objects(65), nested(200_000), '['.repeat(200_000), '{"a":['.repeat(100_000)]) {
      const error = refusal(text);
      expect([error.code, error.status]).to.deep.equal(['malformed_json', 400]);
      expect(error.message).to.contain('more than 64 levels of nesting');
    }
  });

  const forbidden: readonly (readonly [text: string, paths: readonly string[]])[] = [
    ['{"value":{"v":"a\\u0000b"}}', ['body.value.v']],
    ['{"a":"\\ud83d"}', ['body.a']],
    ['{"a":"\\uDE00 \\uD83D\\uDE00"}', ['body.a']],
    ['{"a":"\\ud83d\\ud83d\\ude00"}', ['body.a']],
    ['[{"a":1},{"scope":"\\u0000"}]', ['body[1].scope']],
    ['"\\u0000"', ['body']],
    ['{"a\\u0000":1}', ['body']],
    ['{"x":{"\\udfff":"\\u0000"}}', ['body.x', 'body.x["\ufffd"]']],
    ['{"a b":"\\u0000"}', ['body["a b"]']],
    ['{"a":"\\u0000","b":["\\ud800"]}', ['body.a', 'body.b[0]']],
  ];
  for (const [text, paths] of forbidden) {
    it(`refuses forbidden characters in ${text}, and names the members`, () => {
      const error = refusal(text);
      expect([error.code, error.status]).to.deep.equal(['validation', 422]);
      expect(error.violations?.map((violation) => violation.path)).to.deep.equal(paths);
    });
  }

  it('names ten members at most', () => {
    expect(refusal(JSON.stringify(new Array(50).fill('\u0000'))).violations).to.have.length(10);
  });

  it('reports the syntax error before the forbidden text', () => {
    expect(refusal('{"a":"\\u0000","a":1}').code).to.equal('malformed_json');
    expect(refusal('["\\ud800"').code).to.equal('malformed_json');
  });

  it('refuses an object of more than 1,000 members before it reads the next name (I21)', () => {
    const members = Array.from({ length: 1_000 }, (_, at) => `"m${at}":0`).join(',');
    expect(Object.keys(parse(`{${members}}`) as object)).to.have.length(1_000);
    const error = refusal(`{${members},"one more":0,broken`);
    expect([error.code, error.status]).to.deep.equal(['too_large', 413]);
    expect(error.message).to.equal('the body has an object with more than 1000 members');
  });

  it('refuses a name that occurs twice among many, in any spelling', () => {
    const members = Array.from({ length: 100 }, (_, at) => `"é${at}":0`);
    for (const again of ['"é99"', '"\\u00e999"', '"é\\u0039\\u0039"']) {
      expect(refusal(`{${members.join(',')},${again}:1}`).message).to.contain('its object already has');
      expect(refusal(`{${again}:1,${members.join(',')}}`).message).to.contain('its object already has');
    }
    expect(refusal(`{${members.join(',')},"\\ud800":1,"\\ud801":1}`).code).to.equal('validation');
  });

  it('decodes well-formed escapes', () => {
    expect(parse('"\\ud83d\\ude00 \\u00e9 \\u2028 \\/ \\b\\f\\n\\r\\t\\"\\\\"')).to.equal(
      '😀 é \u2028 / \b\f\n\r\t"\\',
    );
  });

  it('never repeats text of the document', () => {
    const secret = 'hunter2';
    for (const text of [
      `{"${secret}":1,"${secret}":2}`,
      `["${secret}`,
      `[${secret}]`,
      `"${secret}\\u0000"`,
      `{"a":"${secret}"}${secret}`,
    ]) {
      const error = refusal(text);
      expect(JSON.stringify([error.message, error.hint, error.violations, error.cause])).not.to.contain(secret);
    }
  });

  it('reads __proto__ as an ordinary member, without changing a prototype', () => {
    const value = parse('{"__proto__":{"permissions":["admin"]},"constructor":{"prototype":{"scope":"public"}}}');
    expect(Object.getPrototypeOf(value)).to.equal(Object.prototype);
    expect(Object.keys(value as object)).to.deep.equal(['__proto__', 'constructor']);
    expect((value as { permissions?: unknown }).permissions).to.equal(undefined);
    expect(({} as { permissions?: unknown }).permissions).to.equal(undefined);
    const unfaithful = parse('{"__proto__":{"admin":1e999}}');
    expect(Object.getPrototypeOf(unfaithful)).to.equal(Object.prototype);
  });

  it('returns the same result for a text as for its bytes', () => {
    expect(parseStrictJsonText('{"a":["é",1]}')).to.deep.equal({ a: ['é', 1] });
    expect(thrownError(() => parseStrictJsonText('{"a":"\ud800"}')).violations?.[0]?.path).to.equal('body.a');
    expect(thrownError(() => parseStrictJsonText('{"a":1}\ud800')).code).to.equal('malformed_json');
    expect(thrownError(() => parseStrictJsonText('\ufeff1')).code).to.equal('malformed_json');
  });

  it('uses the given name of the document in errors', () => {
    expect(thrownError(() => parseStrictJson(Buffer.from('['), 'answer')).message).to.contain(
      'the answer is not valid JSON',
    );
    expect(thrownError(() => parseStrictJsonText('{"a":"\\u0000"}', 'line')).violations?.[0]?.path).to.equal('line.a');
  });

  it('reads only the bytes that a typed array views in its buffer', () => {
    expect(parseStrictJson(Buffer.from('xx[1]xx').subarray(2, 5))).to.deep.equal([1]);
    expect(parseStrictJson(Uint8Array.from(Buffer.from('xx[1]xx')).subarray(2, 5))).to.deep.equal([1]);
  });
});
