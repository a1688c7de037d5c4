/** Fixed vectors for RFC 8785, written down rather than computed by the code under test. */

/** RFC 8785, appendix B: the bits of a double and its text. */
export const NUMBER_VECTORS: readonly (readonly [bits: string, text: string])[] = [
  ['0000000000000000', '0'],
  ['8000000000000000', '0'],
  ['0000000000000001', '5e-324'],
  ['8000000000000001', '-5e-324'],
  ['7fefffffffffffff', '1.7976931348623157e+308'],
  ['ffefffffffffffff', '-1.7976931348623157e+308'],
  ['4340000000000000', '9007199254740992'],
  ['c340000000000000', '-9007199254740992'],
  ['4430000000000000', '295147905179352830000'],
  ['44b52d02c7e14af5', '9.999999999999997e+22'],
  ['44b52d02c7e14af6', '1e+23'],
  ['44b52d02c7e14af7', '1.0000000000000001e+23'],
  ['444b1ae4d6e2ef4e', '999999999999999700000'],
  ['444b1ae4d6e2ef4f', '999999999999999900000'],
  ['444b1ae4d6e2ef50', '1e+21'],
  ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
  ['3eb0c6f7a0b5ed8d', '0.000001'],
  ['41b3de4355555553', '333333333.3333332'],
  ['41b3de4355555554', '333333333.33333325'],
  ['41b3de4355555555', '333333333.3333333'],
  ['41b3de4355555556', '333333333.3333334'],
  ['41b3de4355555557', '333333333.33333343'],
  ['becbf647612f3696', '-0.0000033333333333333333'],
  ['43143ff3c1cb0959', '1424953923781206.2'],
];

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

/**
 * Section 3.2.2.2: five short control escapes, lower-case hex for the other control characters, escaped quote and
 * backslash.
 */
const asciiVector = (code: number): readonly [text: string, form: string] => {
  const character = String.fromCharCode(code);
  const short = SHORT_ESCAPES.get(code);
  if (short !== undefined) return [character, `"${short}"`];
  return [character, code < 0x20 ? `"\\u00${code.toString(16).padStart(2, '0')}"` : `"${character}"`];
};

/** Every ASCII character, then characters beyond it, which stay unescaped, with surrogate pairs intact. */
export const STRING_VECTORS: readonly (readonly [text: string, form: string])[] = [
  ...Array.from({ length: 128 }, (_, code) => asciiVector(code)),
  ...[
    '\u0080',
    '\u009f',
    '\u00a0',
    '\u00e9',
    '\u00ff',
    '\u0100',
    '\u05d3',
    '\u07ff',
    '\u0800',
    '\u20ac',
    '\u2028',
    '\u2029',
  ].map((text) => [text, `"${text}"`] as const),
  ...[
    '\u200b',
    '\ud7ff',
    '\ue000',
    '\ufb33',
    '\ufeff',
    '\ufffd',
    '\uffff',
    '\u{10000}',
    '\u{1f600}',
    '\u{10ffff}',
    'e\u0301',
  ].map((text) => [text, `"${text}"`] as const),
  ['\u20ac$\u000f\nA\'B"\\\\"/', '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'],
];

/** JSON as a client may send it, and its canonical form. */
export const DOCUMENT_VECTORS: readonly (readonly [sent: string, form: string])[] = [
  // RFC 8785, section 3.2.3: members are sorted by UTF-16 code units, so a pair comes before U+FB33.
  [
    '{"\\u20ac":"Euro Sign","\\r":"Carriage Return","\\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\\ud83d\\ude00":"Emoji: Grinning Face","\\u0080":"Control","\\u00f6":"Latin Small Letter O With Diaeresis"}',
    '{"\\r":"Carriage Return","1":"One","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis","\u20ac":"Euro Sign","\u{1f600}":"Emoji: Grinning Face","\ufb33":"Hebrew Letter Dalet With Dagesh"}',
  ],
  // Section 3.2.2.
  [
    '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  ],
  ['null', 'null'],
  ['true', 'true'],
  ['false', 'false'],
  ['[]', '[]'],
  ['{}', '{}'],
  ['""', '""'],
  ['-0', '0'],
  ['1.0', '1'],
  ['-1.50', '-1.5'],
  ['1e21', '1e+21'],
  ['1e20', '100000000000000000000'],
  ['1E-7', '1e-7'],
  ['1e-6', '0.000001'],
  ['[3,1,2]', '[3,1,2]'],
  ['[ [ ] , { } ]', '[[],{}]'],
  ['{"b":1,"a":2}', '{"a":2,"b":1}'],
  ['{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}'],
  ['{"a":{"z":1,"y":{"x":2,"w":3}}}', '{"a":{"y":{"w":3,"x":2},"z":1}}'],
  ['[{"b":1,"a":2},{"d":3,"c":4}]', '[{"a":2,"b":1},{"c":4,"d":3}]'],
  ['{"aa":1,"a":2,"A":3,"":4}', '{"":4,"A":3,"a":2,"aa":1}'],
  ['{"a b":1,"a-b":2,"a_b":3}', '{"a b":1,"a-b":2,"a_b":3}'],
  ['{"peach":"1","péché":"2","pêche":"3","sin":"4"}', '{"peach":"1","péché":"2","pêche":"3","sin":"4"}'],
  ['{"__proto__":1,"constructor":2}', '{"__proto__":1,"constructor":2}'],
  ['{"toJSON":"x"}', '{"toJSON":"x"}'],
  ['{"\\u0061":1}', '{"a":1}'],
  ['"\\ud83d\\ude00"', '"\u{1f600}"'],
  ['"\\/"', '"/"'],
  ['[56,{"d":true,"10":null,"1":[]}]', '[56,{"1":[],"10":null,"d":true}]'],
];
