import type { Violation } from '../../ports/ports.ts';
import type { Schema } from '../../ports/schema.ts';
import { MAX_VIOLATIONS } from '../problems/refusals.ts';
import { closestName } from '../text/closest-name.ts';
import { memberPath } from '../text/find-forbidden-text.ts';

/**
 * Lists the members of a value that its schema does not declare, at most `MAX_VIOLATIONS`. It also removes, in place,
 * each null that stands for an optional member: null means absent. A null that the schema itself allows stays.
 */
export type ListUndeclared = (value: unknown, root: string) => readonly Violation[];

/**
 * Compiles `ListUndeclared` for a schema. An object is closed when its schema lists `properties` and has no
 * `additionalProperties`. An object without `properties` is open, and so are the branches of `anyOf` and its like.
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

/** Returns the message about an undeclared name. `kind` is its role: a member of a body, or a parameter of a query. */
export const undeclaredName = (kind: 'member' | 'parameter', name: string, known: Iterable<string>): string => {
  const near = closestName(name.slice(0, MAX_NAME_LENGTH), known);
  return near === undefined ? `is not a known ${kind}` : `is not a known ${kind}; did you mean ${near}?`;
};

const NONE: readonly Violation[] = [];
/** The maximum length to which a name is shown and compared. */
const MAX_NAME_LENGTH = 64;

type JsonSchema = Readonly<Record<string, unknown>>;

interface Shape {
  readonly members?: ReadonlyMap<string, Member>;
  readonly isClosed: boolean;
  /** The shape of the other members, if they have a schema. */
  readonly others?: Shape | undefined;
  /** The shape of an array's items. */
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

/** The position of a value in the document. It becomes text only for a violation, which is rare. */
interface MemberPosition {
  readonly parent?: MemberPosition;
  readonly segment: string | number;
}

const pathOf = ({ parent, segment }: MemberPosition): string => {
  if (parent === undefined) return String(segment);
  const path = pathOf(parent);
  return typeof segment === 'number' ? `${path}[${segment}]` : memberPath(path, segment);
};

const visit = (shape: Shape, value: unknown, position: MemberPosition, found: Violation[]): void => {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) visitArray(shape, value, position, found);
  else visitObject(shape, value as Record<string, unknown>, position, found);
};

const visitArray = (
  { items }: Shape,
  array: readonly unknown[],
  position: MemberPosition,
  found: Violation[],
): void => {
  if (items === undefined) return;
  for (let at = 0; at < array.length && found.length < MAX_VIOLATIONS; at += 1) {
    visit(items, array[at], { parent: position, segment: at }, found);
  }
};

const visitObject = (
  shape: Shape,
  object: Record<string, unknown>,
  position: MemberPosition,
  found: Violation[],
): void => {
  const { members, isClosed, others } = shape;
  if (members === undefined && others === undefined) return;
  // Iterates once, because listing a million names is the expensive part.
  for (const name in object) {
    if (found.length >= MAX_VIOLATIONS) return;
    const member = members?.get(name);
    const inner = member === undefined ? others : member.shape;
    if (member?.nullIsAbsent === true && object[name] === null) delete object[name];
    else if (inner !== undefined) visit(inner, object[name], { parent: position, segment: name }, found);
    else if (member === undefined && isClosed) {
      const path = pathOf({ parent: position, segment: name });
      found.push({ path, message: undeclaredName('member', name, members?.keys() ?? []) });
    }
  }
};

const isPlain = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
