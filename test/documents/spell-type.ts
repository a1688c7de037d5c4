import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { componentName } from '../../kernel/vocabulary/components.ts';
import { membersOf } from '../../plugins/openapi/schema-members.ts';

/** Where a value is used: answers of the node contain every promised member; bodies and queries may omit defaults. */
export type Side = 'answer' | 'body' | 'query';

/** Converts a JSON Schema into a TypeScript type. It omits bounds and patterns, which the node checks. */
export const spellType = (schema: JsonSchema, side: Side): string => {
  const { $ref: reference, anyOf, oneOf, allOf, enum: values, const: only } = schema;
  const name = componentName(reference);
  if (name !== undefined) return name;
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return union(choices.map((choice) => spellType(choice, side)));
  if (allOf !== undefined) {
    const parts = (allOf as readonly JsonSchema[]).map((part) => spellType(part, side));
    return parts.map((part) => (part.includes('|') ? `(${part})` : part)).join(' & ');
  }
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return union(values.map(literal));
  const types = [(schema['type'] ?? []) as string | readonly string[]].flat();
  return types.length === 0 ? 'unknown' : union(types.map((type) => spellOne(type, schema, side)));
};

const spellOne = (type: string, schema: JsonSchema, side: Side): string => {
  if (type === 'integer') return 'number';
  if (type === 'array') return spellList(schema, side);
  return type === 'object' ? spellObject(schema, side) : type;
};

/** Makes lists in requests read-only. A query also accepts a single value instead of a list of one. */
const spellList = ({ items, maxItems }: JsonSchema, side: Side): string => {
  const each = maxItems === 0 ? 'never' : spellType((items ?? {}) as JsonSchema, side);
  const list = /[|&\s]/.test(each) ? `(${each})[]` : `${each}[]`;
  if (side === 'answer') return list;
  return side === 'body' ? `readonly ${list}` : `readonly ${list} | ${each}`;
};

const spellObject = (schema: JsonSchema, side: Side): string => {
  const members = spellMembers(schema, side).lines;
  const others = othersOf(schema, members.length);
  if (members.length === 0 && others !== undefined) return `Record<string, ${others}>`;
  return block([...members, ...(others === undefined ? [] : ['[name: string]: unknown;'])]);
};

/** Returns an object type. The formatter keeps a few plain members on one line if the line is short enough. */
const block = (members: readonly string[]): string =>
  members.length <= MEMBERS_IN_A_LINE && members.every((line) => !/\n|^\s*\/?\*/.test(line))
    ? `{ ${members.join(' ')} }`
    : ['{', ...members, '}'].join('\n');

const MEMBERS_IN_A_LINE = 4;

/** Returns the type of unlisted members: an object with listed members allows others only if its schema does. */
const othersOf = ({ additionalProperties: others }: JsonSchema, listed: number): string | undefined => {
  if (typeof others === 'object' && others !== null) return spellType(others as JsonSchema, 'answer');
  return others === true || (others === undefined && listed === 0) ? 'unknown' : undefined;
};

/** Returns a line for each member, and whether any member is required. */
export const spellMembers = (
  schema: JsonSchema,
  side: Side,
): { readonly lines: string[]; readonly needed: boolean } => {
  const required = new Set((schema['required'] ?? []) as readonly string[]);
  let needed = false;
  const lines = Object.entries(membersOf(schema)).flatMap(([name, member]) => {
    const fallback = member['default'];
    const isNeeded = required.has(name) && (side === 'answer' || fallback === undefined);
    needed ||= isNeeded;
    const type = spellType(member, side);
    const spelled = /^[a-z_]\w*$/i.test(name) ? name : `'${name}'`;
    return [...docLines(noteOf(member, side)), memberLine(spelled, type, { isNeeded, side })];
  });
  return { lines, needed };
};

const memberLine = (
  name: string,
  type: string,
  { isNeeded, side }: { readonly isNeeded: boolean; readonly side: Side },
): string => {
  if (isNeeded) return `${name}: ${type};`;
  return side === 'answer' || type === 'unknown' ? `${name}?: ${type};` : `${name}?: ${type} | undefined;`;
};

const noteOf = ({ description, default: fallback }: JsonSchema, side: Side): string | undefined => {
  const words = typeof description === 'string' ? description.replace(/\.?$/, '.') : undefined;
  const said = side === 'answer' || fallback === undefined ? undefined : `Default: \`${JSON.stringify(fallback)}\`.`;
  return words === undefined && said === undefined ? undefined : [words, said].filter(Boolean).join(' ');
};

const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : JSON.stringify(value);

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

/** Returns a wrapped comment, or no lines without text. */
export const docLines = (text: string | undefined): string[] => {
  if (text === undefined || text === '') return [];
  const words = `${text[0]?.toUpperCase()}${text.slice(1)}`.replaceAll('*/', '* /').split(/\s+/);
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.length === 1 ? [`/** ${lines[0]} */`] : ['/**', ...lines.map((line) => ` * ${line}`), ' */'];
};

const WIDTH = 108;
