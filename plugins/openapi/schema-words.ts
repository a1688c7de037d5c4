import type { JsonSchema } from '../../kernel/plugin-api.ts';
import { membersOf } from './schema-members.ts';

/** A piece of a description: plain text, the name of a shared schema, or code. */
export type Piece = string | { readonly schema: string } | { readonly code: string };

/** A short description of the allowed values. */
export const typeWords = (schema: JsonSchema): readonly Piece[] => {
  const { $ref: reference, anyOf, oneOf, allOf, enum: values, const: only } = schema;
  if (typeof reference === 'string') return [{ schema: reference.slice(reference.lastIndexOf('/') + 1) }];
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return joined(choices.map(typeWords), ' or ');
  if (Array.isArray(allOf)) return wholeWords(allOf as readonly JsonSchema[]);
  if (Array.isArray(values)) return [values.map((value) => JSON.stringify(value)).join(', ')];
  if (only !== undefined) return [JSON.stringify(only)];
  const types = [(schema['type'] ?? []) as string | readonly string[]].flat();
  if (types.length === 0) return [Object.keys(membersOf(schema)).length === 0 ? 'any value' : 'object'];
  return joined(
    types.map((type) => oneTypeWords(type, schema)),
    ' or ',
  );
};

/** One row for each member of an object, including the members of nested objects, in order. */
export interface MemberRow {
  /** The path of the member: `entries[].seq`. */
  readonly name: string;
  readonly words: readonly Piece[];
  readonly isRequired: boolean;
  /** The default of an absent member; undefined without one. */
  readonly fallback: unknown;
  readonly description: string;
}

export const memberRows = (schema: JsonSchema, way = '', depth = 0): readonly MemberRow[] => {
  const { path, object } = objectIn(schema, way);
  const parts = (object['allOf'] ?? []) as readonly JsonSchema[];
  const ofParts = parts.flatMap((part) => memberRows(part, path, depth));
  const required = new Set((object['required'] ?? []) as readonly string[]);
  const own = Object.entries(membersOf(object)).flatMap(([name, member]): readonly MemberRow[] => {
    const row = {
      name: path === '' ? name : `${path}.${name}`,
      words: typeWords(member),
      isRequired: required.has(name),
      fallback: member['default'],
      description: String(member['description'] ?? ''),
    };
    return depth === MAX_DEPTH ? [row] : [row, ...memberRows(member, row.name, depth + 1)];
  });
  return [...ofParts, ...own];
};

const MAX_DEPTH = 3;

/**
 * Returns the object inside lists and alternatives. A choice with null, or with a part of the object, counts as the
 * object.
 */
const objectIn = (schema: JsonSchema, path: string): { readonly path: string; readonly object: JsonSchema } => {
  const { items, anyOf } = schema;
  if (typeof items === 'object' && items !== null) return objectIn(items as JsonSchema, `${path}[]`);
  const choices = ((anyOf ?? []) as readonly JsonSchema[]).filter(({ type }) => type !== 'null');
  const [only] = choices;
  return only !== undefined ? objectIn(only, path) : { path, object: schema };
};

/** Describes a shared schema with additional members. */
const wholeWords = (parts: readonly JsonSchema[]): readonly Piece[] => {
  const shared = parts.filter((part) => '$ref' in part);
  const words = joined(shared.map(typeWords), ' and ');
  return shared.length === parts.length ? words : [...words, ' with more members'];
};

const oneTypeWords = (type: string, schema: JsonSchema): readonly Piece[] => {
  if (type === 'array') return ['list of ', ...typeWords((schema['items'] ?? {}) as JsonSchema)];
  if (type === 'integer') return [`whole number${bounds(schema)}`];
  if (type === 'number') return [`number${bounds(schema)}`];
  if (type === 'string') return schema['format'] === 'date-time' ? ['instant'] : textWords(schema);
  if (type === 'object') return mapWords(schema);
  return [type];
};

/** Describes an object without listed members by the schema of its values. */
const mapWords = ({ properties, additionalProperties }: JsonSchema): readonly Piece[] =>
  properties === undefined && typeof additionalProperties === 'object' && additionalProperties !== null
    ? ['object whose members are ', ...typeWords(additionalProperties as JsonSchema)]
    : ['object'];

const bounds = ({ minimum, maximum }: JsonSchema): string => {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, ${minimum} or more`;
  return maximum === undefined ? '' : `, ${maximum} or less`;
};

const textWords = ({ pattern, minLength, maxLength }: JsonSchema): readonly Piece[] => {
  if (typeof pattern === 'string') return ['text like ', { code: pattern }];
  if (maxLength !== undefined) return [`text of ${minLength ?? 0} to ${maxLength} characters`];
  return [minLength === undefined ? 'text' : 'text, not empty'];
};

const joined = (parts: readonly (readonly Piece[])[], between: string): readonly Piece[] => {
  const seen = new Set<string>();
  const distinct = parts.filter((part) => {
    const key = JSON.stringify(part);
    return !seen.has(key) && Boolean(seen.add(key));
  });
  return distinct.flatMap((part, at) => (at === 0 ? part : [between, ...part]));
};
