import { BAD_UNITS } from './hostile-units.ts';

/**
 * Invalid values for each kind of body member and query parameter, as written in the request. All must be refused,
 * except null for an optional member, which means absent.
 */
const NOT_TEXT = ['5', 'true', '[]', '{}', '["x"]'];
const BROKEN_TEXT = ['"a\\u0000b"', '"\\ud800"', '"x\\udc00"', '"\\udc00\\ud800"'];
const HUGE = ['1e999', '-1e999', '9007199254740993'];

export const BAD_MEMBERS = {
  /** Free text of limited length; optional or null. */
  note: [...NOT_TEXT, ...BROKEN_TEXT, `"${'n'.repeat(16 * 1024 + 1)}"`],
  garden: [...NOT_TEXT, ...BROKEN_TEXT, '""', '"no-such-garden"'],
  /** Text that may be null or empty, and is not stored. */
  comparedText: NOT_TEXT,
  uri: [...NOT_TEXT, ...BROKEN_TEXT, 'null', '""', '"  "', '"a\\u0007b"', '"a\\u0085b"', `"${'u'.repeat(2049)}"`],
  relation: [...NOT_TEXT, ...BROKEN_TEXT, 'null', '""', '"a b"', '"a\\nb"', `"a:${'r'.repeat(50_000)}"`],
  scope: [...NOT_TEXT, ...BROKEN_TEXT, 'null', '""', '"Public"', '"galaxy"', '"__proto__"'],
  confidence: ['"1"', 'true', 'null', '[]', '{}', '-0.01', '1.01', ...HUGE],
  instant: [
    '0',
    'true',
    '[]',
    '{}',
    '""',
    '"tomorrow"',
    '"2026-02-30T00:00:00Z"',
    '"2026-13-01T00:00:00Z"',
    '"2026-01-01"',
    '"+275760-09-13T00:00:00Z"',
    '"2026-01-01T00:00:00"',
    ...BROKEN_TEXT,
  ],
  writeMode: [...NOT_TEXT, 'null', '""', '"ASSERT"', '"toString"'],
  references: [
    '5',
    'true',
    '{}',
    '"x"',
    '[5]',
    '[null]',
    '[{}]',
    '["sha256:zz"]',
    '[[[]]]',
    `[${'"x",'.repeat(100)}"x"]`,
  ],
  value: [
    ...['5', 'true', '"x"', 'null', '[]', '{}', '{"v":"x"}', '{"type":5,"v":"x"}', '{"type":null,"v":"x"}'],
    ...['{"type":"blob","v":"x"}', '{"type":"String","v":"x"}', '{"type":"__proto__","v":"x"}', '{"type":"string"}'],
    ...['5', 'true', 'null', '[]', '{}', ...BROKEN_TEXT].map((v) => `{"type":"string","v":${v}}`),
    ...['"5"', 'true', 'null', '[]', ...HUGE].map((v) => `{"type":"number","v":${v}}`),
    ...['"true"', '1', 'null'].map((v) => `{"type":"boolean","v":${v}}`),
    ...['"x"', '5', '"2026-02-30"', 'null'].map((v) => `{"type":"datetime","v":${v}}`),
    ...['""', '5', 'null', '"a\\u0000b"'].map((v) => `{"type":"ref","v":${v}}`),
    ...['1', '"x"', 'false', '{}'].map((v) => `{"type":"null","v":${v}}`),
    ...['5', '"system"', 'true', '{}'].map((as) => `{"type":"string","v":"x","interpret_as":${as}}`),
    `{"type":"string","v":"${'s'.repeat(16 * 1024 + 1)}"}`,
    `{"type":"text","v":"${'t'.repeat(1024 * 1024 + 1)}"}`,
  ],
  replacement: [
    '5',
    '"x"',
    '[]',
    '{}',
    '{"type":"blob","v":"x"}',
    '{"type":"number","v":"5"}',
    '{"type":"string","v":"a\\u0000"}',
  ],
  permissions: ['5', '{}', '"read"', '[]', '[5]', '["root"]', '["read",null]', '["__proto__"]', '[["read"]]'],
  scopes: ['5', '{}', '"public"', '[5]', '["galaxy"]', '["Public"]', '["public",null]'],
  rawKey: [...NOT_TEXT, 'null', '""', '"short"', `"${'k'.repeat(20)}\\u0000${'k'.repeat(20)}"`],
  expiry: [
    '5',
    'true',
    '[]',
    '"tomorrow"',
    '"2001-01-01T00:00:00Z"',
    '"2999-01-01T00:00:00Z"',
    '"2026-02-30T00:00:00Z"',
  ],
  publicKey: [...NOT_TEXT, 'null', '""', '"x"', '"a\\u0000b"', `"${'A'.repeat(5000)}"`],
  attestation: [
    '5',
    'true',
    '"x"',
    '[]',
    '{}',
    '{"key_id":5,"signature":"x"}',
    '{"key_id":"x"}',
    '{"key_id":"x","signature":""}',
  ],
  budget: ['"10"', 'true', 'null', '[]', '{}', '0', '-1', '1.5', '200001', '1e308', ...HUGE],
  overlap: ['"60"', 'true', 'null', '[]', '{}', '-1', '1.5', '2592001', '1e308', ...HUGE],
  lifetime: ['"60"', 'true', 'null', '[]', '{}', '0', '-1', '1.5', '7776001', '1e308', ...HUGE],
  /** Seconds, 0 or more. */
  age: ['"60"', 'true', 'null', '[]', '{}', '-1', '-0.5', '1e999', '-1e999'],
  /** Text that must not be empty and is not stored. */
  slug: [
    ...NOT_TEXT,
    ...BROKEN_TEXT,
    'null',
    '""',
    '" "',
    '"-a"',
    '"a/b"',
    '".."',
    '"a.b"',
    '"gärten"',
    `"${'s'.repeat(64)}"`,
  ],
  role: [...NOT_TEXT, ...BROKEN_TEXT, 'null', '""', '"Admin"', '"owner"', '"toString"'],
  filledText: [...NOT_TEXT, ...BROKEN_TEXT, 'null', '""'],
  depth: ['"1"', 'true', 'null', '[]', '{}', '-1', '3', '0.5', ...HUGE],
  weights: ['5', '"x"', 'null', '[]', '[1]', '{}', '{"lexical":2}', '{"lexical":"1"}', '{"lexical":0.5}', '{"luck":1}'],
  boolean: ['1', '"true"', 'null', '[]', '{}'],
  /** A scope, a garden, or every place; absent and null mean every place. */
  place: [...NOT_TEXT, ...BROKEN_TEXT, '""', '"Public"', '"no-such-garden"', '"__proto__"', '"a b"'],
  /** A name; optional or null. */
  factFields: ['true', '7', '{}', '[]', '[7]', '""', '"colour"', '["id","colour"]', `"${'n'.repeat(2_001)}"`],
  optionalName: [...NOT_TEXT, ...BROKEN_TEXT, '""', '"a\\u0007b"', `"a:${'u'.repeat(50_000)}"`],
  /** Entries of a manifest. */
  units: BAD_UNITS,
  chunkCount: ['"3"', 'true', 'null', '[]', '{}', '0', '-1', '21', '1.5', ...HUGE],
  hints: ['5', 'true', 'null', '"x"', '{}', '[5]', '[null]', '[[]]', '["a\\u0000b"]'],
  owners: [
    /** Lists that may be absent or null, and whose unknown members are ignored. */
    '5',
    'true',
    'null',
    '"x"',
    '{}',
    '[]',
    '[5]',
    '[null]',
    '[[]]',
    '[""]',
    '["a\\u0000b"]',
    `["${'u'.repeat(2049)}"]`,
  ],
  /** Names of checks; an absent list means all checks. */
  checks: ['5', 'true', '"stale"', '{}', '[5]', '[null]', '["spelling"]', '["__proto__"]', '[[]]'],
  lookahead: ['"1"', 'true', '[]', '{}', '-1', '0.5', '3153600001', ...HUGE],
  reports: ['5', 'true', '"x"', '{}', '["\\ud800"]', `[${'0,'.repeat(1_000)}0]`],
  /** A whole number of up to a thousand. */
  listSize: ['"1"', 'true', 'null', '[]', '{}', '0', '-1', '1001', '1.5', ...HUGE],
  pageSize: ['"1"', 'true', 'null', '[]', '{}', '0', '-1', '501', '1.5', ...HUGE],
} as const;

export type MemberKind = keyof typeof BAD_MEMBERS;

/** Percent-encoding that is broken, or does not decode to text. */
const BROKEN_ENCODING = ['%', '%zz', '%E0%A4%A', '%FF', '%ED%A0%80', '%C0%80'];
const NUL = '%00';

export const BAD_PARAMETERS = {
  text: [...BROKEN_ENCODING, NUL, `x${NUL}`],
  /** Text that must not be empty. */
  filledText: [...BROKEN_ENCODING, NUL, `x${NUL}`, ''],
  word: [...BROKEN_ENCODING, NUL, '', 'Not%20A%20Word', '%27'],
  garden: [...BROKEN_ENCODING, NUL, 'no-such-garden'],
  scope: [...BROKEN_ENCODING, NUL, '', 'Public', 'galaxy', '__proto__', 'public,local'],
  limit: [
    ...BROKEN_ENCODING,
    NUL,
    '',
    '0',
    '-1',
    '100000',
    '1e3',
    'abc',
    '1.5',
    '0x10',
    '99999999999999999999',
    'NaN',
    '%201',
  ],
  /** Page sizes of up to a thousand. */
  largeLimit: [...BROKEN_ENCODING, NUL, '', '0', '-1', '1001', 'abc', '1.5', '99999999999999999999'],
  share: [...BROKEN_ENCODING, NUL, '', 'NaN', '-0.1', '1.1', 'abc', '1e999', 'Infinity', '0x1'],
  age: [...BROKEN_ENCODING, NUL, '', 'NaN', '-1', 'abc', '1e999', 'Infinity', '0x1'],
  boolean: [...BROKEN_ENCODING, NUL, '', 'yes', '2', 'null', 'tru'],
  instant: [...BROKEN_ENCODING, NUL, '', 'tomorrow', '2026-02-30T00:00:00Z', '2026-01-01', '0', '1.2.3', '-1.0'],
  status: [...BROKEN_ENCODING, NUL, '', 'Resolved', 'open', 'constructor'],
  cursor: [...BROKEN_ENCODING, NUL, '', 'x', 'AAAA', `${'A'.repeat(4096)}`, "'%20OR%201=1--"],
  position: [...BROKEN_ENCODING, NUL, '', 'abc', '-1', '1.5', '99999999999999999999', '1e3'],
} as const;

export type ParameterKind = keyof typeof BAD_PARAMETERS;

/** Text with a special meaning in SQL, HTML or shells, but none in this service. */
export const SUSPICIOUS_TEXT = [
  "'; DROP TABLE facts; --",
  '" OR ""="',
  '%_\\',
  '{"billing":{"event_type":"fact_written"}}',
  '../../etc/passwd',
  '{{7*7}} #{7*7} $(id) `id`',
  '__proto__',
  'constructor',
  '<script>alert(1)</script>',
  'NEAR( col: ^ - * "',
  '\u202e\u200b\u{1f600}e\u0301',
] as const;
