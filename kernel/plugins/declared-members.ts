import type { Violation } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import { MAX_VIOLATIONS } from '../facts/refusals.ts';
import { memberPath } from '../http/find-forbidden-text.ts';
import { closestName } from './closest-name.ts';

/**
 * Lists the members of a value that its schema does not declare, at most `MAX_VIOLATIONS`. On the way it removes, in
 * place, each null that stands for an optional member: null means absent. A null that the schema itself allows stays.
 */
export type ListUndeclared = (value: unknown, root: string) => readonly Violation[];

/**
 * Prepares `ListUndeclared` for a schema, once. An object is closed where the schema lists its `properties` and says
 * nothing of `additionalProperties`. An object without `properties` is open, and so is what stands behind `anyOf` and
 * its like.
 */
export const compileDeclared = ({ json }: Schema<unknown>): ListUndeclared => {
  const shape = shapeOf(json);
  if (shape === undefined) return () => NONE;
  return (value, root) => {
    const found: Violation[] = [];
    visit(shape, value, { segment: root }, found);
    return found;
  };
};

/**
 * What is wrong with a name that nobody declared. `kind` is what the name would be: a member of a body, a parameter of
 * a query.
 */
export const undeclaredName = (kind: 'member' | 'parameter', name: string, known: Iterable<string>): string => {
  const near = closestName(name.slice(0, MAX_NAME_LENGTH), known);
  return near === undefined ? `is not a known ${kind}` : `is not a known ${kind}; did you mean ${near}?`;
};

const NONE: readonly Violation[] = [];
/** More of a name is neither shown nor compared. */
const MAX_NAME_LENGTH = 64;

type JsonSchema = Readonly<Record<string, unknown>>;

interface Shape {
  /** Of an object. */
  readonly members?: ReadonlyMap<string, Member>;
  readonly isClosed: boolean;
  /** Of the members that are not listed, where those have a schema. */
  readonly others?: Shape | undefined;
  /** Of an array. */
  readonly items?: Shape | undefined;
}

interface Member {
  readonly shape: Shape | undefined;
  readonly nullIsAbsent: boolean;
}

const shapeOf = (json: unknown): Shape | undefined => {
  if (!isPlain(json)) return undefined;
  const { properties, additionalProperties, required } = json;
  const others = shapeOf(additionalProperties);
  const items = shapeOf(json['items']);
  if (!isPlain(properties)) {
    return others === undefined && items === undefined ? undefined : { isClosed: false, others, items };
  }
  const members = new Map<string, Member>();
  for (const [name, property] of Object.entries(properties)) {
    const isRequired = Array.isArray(required) && required.includes(name);
    members.set(name, { shape: shapeOf(property), nullIsAbsent: !isRequired && refusesNull(property) });
  }
  return { members, isClosed: additionalProperties === undefined || additionalProperties === false, others, items };
};

const refusesNull = (json: unknown): boolean => {
  if (!isPlain(json)) return false;
  const { type, enum: values } = json;
  if (type === undefined) return Array.isArray(values) && !values.includes(null);
  return ![type].flat().includes('null');
};

/** Where a value stands in the document. Spelled out only for what is reported, which is nearly always nothing. */
interface Place {
  readonly parent?: Place;
  readonly segment: string | number;
}

const pathOf = ({ parent, segment }: Place): string => {
  if (parent === undefined) return String(segment);
  const path = pathOf(parent);
  return typeof segment === 'number' ? `${path}[${segment}]` : memberPath(path, segment);
};

const visit = (shape: Shape, value: unknown, place: Place, found: Violation[]): void => {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) visitArray(shape, value, place, found);
  else visitObject(shape, value as Record<string, unknown>, place, found);
};

const visitArray = ({ items }: Shape, array: readonly unknown[], place: Place, found: Violation[]): void => {
  if (items === undefined) return;
  for (let at = 0; at < array.length && found.length < MAX_VIOLATIONS; at += 1) {
    visit(items, array[at], { parent: place, segment: at }, found);
  }
};

const visitObject = (shape: Shape, object: Record<string, unknown>, place: Place, found: Violation[]): void => {
  const { members, isClosed, others } = shape;
  if (members === undefined && others === undefined) return;
  // Once: listing the names of an object that has a million of them is what costs.
  for (const name in object) {
    if (found.length >= MAX_VIOLATIONS) return;
    const member = members?.get(name);
    const inner = member === undefined ? others : member.shape;
    if (member?.nullIsAbsent === true && object[name] === null) delete object[name];
    else if (inner !== undefined) visit(inner, object[name], { parent: place, segment: name }, found);
    else if (member === undefined && isClosed) {
      const path = pathOf({ parent: place, segment: name });
      found.push({ path, message: undeclaredName('member', name, members?.keys() ?? []) });
    }
  }
};

const isPlain = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
