/** An item with an invalid part, as JSON text. */
export interface HostileItem {
  readonly name: string;
  readonly json: string;
}

const TEXTS: readonly (readonly [string, string])[] = [
  ['a NUL', '"a\\u0000b"'],
  ['a lone surrogate', '"\\ud800"'],
  ['a control character', '"\\u0007"'],
  ['a line break', '"a\\r\\nb: c"'],
  ['nothing', '""'],
  ['blanks', '"   "'],
  ['a number', '5'],
  ['a list', '["a"]'],
  ['an object', '{"a":1}'],
  ['null', 'null'],
  ['true', 'true'],
  ['a text of 5,000 characters', JSON.stringify('x'.repeat(5_000))],
];
const NUMBERS = ['"1"', 'true', '-0.01', '1.01', 'null', '[1]', '1e308'];
const VALUES = [
  'null',
  '"text"',
  '[]',
  '{}',
  '{"type":"string"}',
  '{"type":"string","v":5}',
  '{"type":"blob","v":"x"}',
  '{"type":"number","v":"5"}',
  '{"type":"number","v":9007199254740993}',
  '{"type":"null","v":1}',
  '{"type":"ref","v":""}',
  '{"type":"datetime","v":"2026-02-30"}',
  '{"type":"boolean","v":"true"}',
  '{"type":"string","v":"x","interpret_as":"order"}',
  '{"type":"toString","v":"x"}',
  '{"type":"__proto__","v":"x"}',
];
const DATES = ['"tomorrow"', '"2026-02-30T00:00:00Z"', '0', '"+275760-09-13T00:00:00Z"', '[]', '"2026-01-01"'];
const STAMPS = ['"9999999999999999.0"', '"-1.0"', '"1"', '"1.2.3"', '"1e3.0"', '5.5', 'null', '"1.4294967296"'];
const REFS = [
  '"x"',
  '{}',
  '[5]',
  '["sha256:x"]',
  `[${Array(101)
    .fill(`"sha256:${'a'.repeat(64)}"`)
    .join(',')}]`,
];
const PROOFS = [
  '"x"',
  '[]',
  '{}',
  '{"key_id":5,"salt":5,"refs_salt":5,"signature":5}',
  '{"key_id":"0000000000000000","salt":"AA","refs_salt":"AA","signature":"AA"}',
  `{"key_id":"${'f'.repeat(16)}","salt":"${'A'.repeat(22)}","refs_salt":"${'A'.repeat(22)}","signature":"${'A'.repeat(86)}"}`,
];

/** Returns facts that are valid except for one invalid member, for every member and kind of error. */
export const hostileItems = (right: () => Readonly<Record<string, unknown>>): readonly HostileItem[] => {
  const withMember = (name: string, json: string): string => {
    const { [name]: _, ...rest } = right();
    return `{"${name}":${json},${JSON.stringify(rest).slice(1)}`;
  };
  const wrong = (name: string, texts: readonly string[]): HostileItem[] =>
    texts.map((json) => ({ name: `${name} = ${json.slice(0, 60)}`, json: withMember(name, json) }));
  const missing = ['id', 'entity', 'relation', 'value', 'source', 'timestamp', 'hlc', 'confidence', 'scope'].map(
    (name) => {
      const { [name]: _, ...rest } = right();
      return { name: `without ${name}`, json: JSON.stringify(rest) };
    },
  );
  const documents = ['null', '5', '"text"', '[]', '{}', 'true', '[[[]]]'].map((json) => ({ name: json, json }));
  return [
    ...documents,
    ...missing,
    ...['entity', 'relation', 'source'].flatMap((name) =>
      wrong(
        name,
        TEXTS.map(([, json]) => json),
      ),
    ),
    ...wrong('id', ['""', '5', 'null', '"a b"', '"é"', JSON.stringify('x'.repeat(129)), '"\\u0000"']),
    ...wrong('confidence', NUMBERS),
    ...wrong('value', VALUES),
    ...wrong('timestamp', DATES),
    ...wrong('valid_from', DATES),
    ...wrong('valid_until', DATES),
    ...wrong('hlc', STAMPS),
    ...wrong('scope', ['"Public"', '"all"', '5', '["public"]', 'null', '"local"', '"team"', '"toString"']),
    ...wrong('derived_from', REFS),
    ...wrong('cid', ['"x"', '5', '[]', `"sha256:${'0'.repeat(64)}"`, `"SHA256:${'0'.repeat(64)}"`]),
    ...wrong('origin_node_id', ['5', '[]', '""', JSON.stringify('x'.repeat(5_000))]),
    ...wrong('origin_proof', PROOFS),
    ...wrong('garden_id', ['"g"', '5']),
  ];
};

/** Returns documents that are invalid as a whole. */
export const brokenDocuments = (right: string): readonly (readonly [string, string | Uint8Array])[] => [
  ['nothing', ''],
  ['a document that breaks off', right.slice(0, -2)],
  ['two documents', `${right}${right}`],
  ['single quotes', right.replaceAll('"', "'")],
  ['a comment', `${right}/* */`],
  ['a byte order mark', `\ufeff${right}`],
  ['NaN', '{"facts":NaN}'],
  ['10,000 levels', '['.repeat(10_000) + ']'.repeat(10_000)],
  ['200,000 levels of objects', '{"a":'.repeat(200_000)],
  ['invalid UTF-8', Buffer.concat([Buffer.from('{"facts":["'), Buffer.from([0xff, 0xfe]), Buffer.from('"]}')])],
  ['UTF-16', Buffer.from(right, 'utf16le')],
  ['null', 'null'],
  ['a number', '5'],
  ['a list', '[]'],
  ['an object without facts', '{}'],
  ['facts that are an object', '{"facts":{}}'],
  ['facts that are text', '{"facts":"x"}'],
];
