import { budgetFor } from '../../../kernel/http/scan-json.ts';
import { BAD_MEMBERS, type MemberKind, SUSPICIOUS_TEXT } from './hostile-values.ts';

/** A valid body, and the kind of each of its members. */
export interface BodyModel {
  /** The valid members as JSON text, in body order. */
  readonly valid: Readonly<Record<string, string>>;
  readonly kinds: Readonly<Record<string, MemberKind>>;
  readonly required: readonly string[];
  /** Members that accept any text. */
  readonly free?: readonly string[];
  /** Whether a request without a body is valid too. */
  readonly optional?: boolean;
  /** Whether the body is a list, as on bulk routes, where an invalid item is an error inside a status 200. */
  readonly isList?: boolean;
  readonly maxBytes: number;
}

export interface HostileBody {
  readonly name: string;
  readonly bytes: Buffer;
  /**
   * The required result. `refused`: status 4xx, or a refused list item. `whole`: 4xx even for a list. `harmless`: any
   * status below 500.
   */
  readonly expect: 'refused' | 'whole' | 'harmless';
  readonly statuses?: readonly number[];
}

const objectText = (members: Readonly<Record<string, string>>): string =>
  `{${Object.entries(members)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`;

/** Returns a valid body as text, with some members replaced. */
export const bodyText = (model: BodyModel, replaced: Readonly<Record<string, string>> = {}): string => {
  const text = objectText({ ...model.valid, ...replaced });
  return model.isList ? `[${text}]` : text;
};

const shown = (text: string): string => (text.length > 60 ? `${text.slice(0, 40)}... (${text.length})` : text);

const wrongMembers = (model: BodyModel): HostileBody[] =>
  Object.entries(model.kinds).flatMap(([member, kind]) =>
    BAD_MEMBERS[kind]
      .filter((text) => text !== 'null' || model.required.includes(member))
      .map((text) => ({
        name: `${member} = ${shown(text)}`,
        bytes: Buffer.from(bodyText(model, { [member]: text })),
        expect: 'refused' as const,
        statuses: [400, 403, 404, 413, 422],
      })),
  );

const missingMembers = (model: BodyModel): HostileBody[] =>
  model.required.map((member) => {
    const { [member]: _, ...rest } = model.valid;
    const text = objectText(rest);
    return {
      name: `without ${member}`,
      bytes: Buffer.from(model.isList ? `[${text}]` : text),
      expect: 'refused',
      statuses: [422],
    };
  });

const suspiciousMembers = (model: BodyModel): HostileBody[] =>
  (model.free ?? []).flatMap((member) =>
    SUSPICIOUS_TEXT.map((text) => ({
      name: `${member} = ${text}`,
      bytes: Buffer.from(bodyText(model, { [member]: JSON.stringify(text) })),
      expect: 'harmless' as const,
    })),
  );

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

const brokenDocuments = (model: BodyModel): HostileBody[] => {
  const right = bodyText(model);
  const [first = 'x'] = Object.keys(model.valid);
  const member = model.valid[first] ?? '1';
  const twice = `{${JSON.stringify(first)}:${member},${objectText(model.valid).slice(1)}`;
  const inner = `{"extra":{"a":1,"a":2},${objectText(model.valid).slice(1)}`;
  const wrap = (text: string): string => (model.isList ? `[${text}]` : text);
  const syntax: readonly (readonly [string, string | Buffer])[] = [
    ['a body that breaks off', right.slice(0, -1)],
    ['data after the document', `${right} x`],
    ['two documents', `${right}${right}`],
    ['single quotes', right.replaceAll('"', "'")],
    ['a comment', `${right}// end`],
    ['a trailing comma', right.replace(/\}(\]?)$/, ',}$1')],
    ['a byte order mark', `\ufeff${right}`],
    ['a member twice', wrap(twice)],
    ['a member twice further in', wrap(inner)],
    ['NaN', wrap(`{"x":NaN}`)],
    ['a number with a leading zero', wrap(`{"x":01}`)],
    ['hexadecimal', wrap(`{"x":0x1}`)],
    ['65 levels', model.isList ? nested(65) : `{"x":${nested(64)}}`],
    ['10,000 levels', nested(10_000)],
    ['200,000 levels', nested(200_000)],
    ['200,000 levels of objects', '{"a":'.repeat(200_000)],
    ['a raw control character', wrap(`{"x":"\u0001"}`)],
    [
      'invalid UTF-8',
      Buffer.concat([
        Buffer.from(wrap('{"x":"').slice(0, model.isList ? 7 : 6)),
        Buffer.from([0xff, 0xfe, 0x22, 0x7d]),
      ]),
    ],
    ['truncated UTF-8', Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xe0, 0xa4])])],
    ['overlong UTF-8', Buffer.concat([Buffer.from('{"x":"'), Buffer.from([0xc0, 0x80]), Buffer.from('"}')])],
    ['UTF-16', Buffer.from(right, 'utf16le')],
    ['only spaces', '   '],
  ];
  return syntax.map(([name, text]) => {
    const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text);
    return { name, bytes, expect: 'whole', statuses: [bytes.length > model.maxBytes ? 413 : 400] };
  });
};

const wrongDocuments = (model: BodyModel): HostileBody[] => {
  const others = model.isList ? ['null', '5', '"x"', 'true', '{}', '[]'] : ['null', '5', '"x"', 'true', '[]', '[{}]'];
  const documents = others.map((text) => ({
    name: `the document ${text}`,
    bytes: Buffer.from(text),
    expect: 'whole' as const,
    statuses: [400, 422],
  }));
  const items = model.isList ? ['null', '5', '"x"', '[]', '[[]]'] : [];
  const listed = items.map((text) => ({
    name: `the item ${text}`,
    bytes: Buffer.from(`[${text}]`),
    expect: 'refused' as const,
  }));
  return [...documents, ...listed];
};

const PROTOTYPES = [
  '"__proto__":{"permissions":["admin"],"scope":"public"}',
  '"constructor":{"prototype":{"admin":true}}',
];

const strangeMembers = (model: BodyModel): HostileBody[] => [
  ...PROTOTYPES.map((member) => {
    const text = `{${member},${objectText(model.valid).slice(1)}`;
    return {
      name: `the member ${member.slice(0, 13)}`,
      bytes: Buffer.from(model.isList ? `[${text}]` : text),
      expect: 'refused' as const,
      statuses: [422],
    };
  }),
  {
    name: 'a member name with a lone surrogate',
    bytes: Buffer.from(model.isList ? '[{"\\ud800":1}]' : '{"\\ud800":1}'),
    expect: 'refused',
  },
];

const sizes = (model: BodyModel): HostileBody[] => {
  const filler = ' '.repeat(model.maxBytes + 1);
  return [
    { name: 'a body beyond the limit', bytes: Buffer.from(filler), expect: 'whole', statuses: [413] },
    { name: 'a body of one byte', bytes: Buffer.from('{'), expect: 'whole', statuses: [400] },
  ];
};

const MANY = 100_000;
const MANY_MEMBERS = `{${Array.from({ length: MANY }, (_, at) => `"m${at}":0`).join(',')}}`;
const MANY_ITEMS = Buffer.from(`[${'0,'.repeat(MANY)}0]`);

const crowds = (model: BodyModel): HostileBody[] => {
  const wrap = (text: string): Buffer => Buffer.from(model.isList ? `[${text}]` : text);
  return [
    { name: `${MANY} members`, bytes: wrap(MANY_MEMBERS), expect: 'whole', statuses: [413] },
    {
      name: 'more elements than a body may have',
      bytes: wrap(`{"x":[${'0,'.repeat(budgetFor(model.maxBytes).maxValues)}0]}`),
      expect: 'whole',
      statuses: [413],
    },
    { name: `${MANY} items`, bytes: MANY_ITEMS, expect: 'whole', statuses: [413, 422] },
  ];
};

const nothing = (model: BodyModel): HostileBody[] =>
  model.optional === true
    ? []
    : [{ name: 'an empty body', bytes: Buffer.alloc(0), expect: 'whole', statuses: [400, 415, 422] }];

/** Returns every body that the node must refuse. */
export const hostileBodies = (model: BodyModel): HostileBody[] => [
  ...wrongMembers(model),
  ...missingMembers(model),
  ...brokenDocuments(model),
  ...wrongDocuments(model),
  ...strangeMembers(model),
  ...suspiciousMembers(model),
  ...sizes(model),
  ...crowds(model),
  ...nothing(model),
];
