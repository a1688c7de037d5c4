import { defineRef } from '../../ports/ports.ts';
import { type JsonSchema, objectOf } from '../schemas/answer-schemas.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type FactMark, FactMarks, markOf } from './fact-marks.ts';
import { type FactMember, FactMembers, inOrder, MARKS } from './fact-members.ts';
import type { FactView } from './fact-view.ts';

/** Turns a view into the JSON object of a fact, whose members have a fixed order. */
export type FactJson = (view: FactView) => Record<string, unknown>;

export const FactJson = defineRef<FactJson>('kernel.fact-json');

/** A member of the fact object on this node, which comes from a mark or from the view. */
type Slot = Pick<FactMember, 'json' | 'read'> & {
  readonly name: string;
  readonly optional: boolean;
  /** Whether a plugin fills the member, or would if it were enabled. */
  readonly isOfPlugin: boolean;
  /** The index of the mark among all marks, or -1. */
  readonly mark: number;
  /** Whether to omit the member when it is null, false or an empty list. */
  readonly omitsEmpty?: boolean;
};

/** Creates the function for fact objects. `asked` limits them to these members; see `FactFields`. */
export const createFactJson = (vocabulary: Vocabulary, asked?: ReadonlySet<string>): FactJson => {
  const marks = marksOf(vocabulary);
  const slots = asked === undefined ? slotsOf(vocabulary) : askedSlots(slotsOf(vocabulary), asked);
  const names = slots.map(({ name }) => name);
  const shapes = new Map<string, Record<string, unknown>>();
  // Reuses this list for each fact, because new lists for hundreds of facts on a page would double the cost.
  const filled: Readonly<Record<string, unknown>>[] = [];
  const values: unknown[] = [];
  return (view) => {
    for (let at = 0; at < marks.length; at += 1) {
      const mark = marks[at] as FactMark<unknown>;
      filled[at] = mark.toJson(markOf(view, mark), view.fact);
    }
    for (let at = 0; at < slots.length; at += 1) {
      const { name, mark, read, omitsEmpty } = slots[at] as Slot;
      const value = mark < 0 ? read(view) : filled[mark]?.[name];
      values[at] = omitsEmpty === true && isEmpty(value) ? undefined : value;
    }
    // Copies an object that has all members, which costs far less than adding them one by one.
    const json = { ...shapeOf(names, values, shapes) };
    for (let at = 0; at < names.length; at += 1) if (values[at] !== undefined) json[names[at] as string] = values[at];
    return json;
  };
};

/** Returns a template object with the members that have a value, created once for each set of members. */
const shapeOf = (
  names: readonly string[],
  values: readonly unknown[],
  shapes: Map<string, Record<string, unknown>>,
): Record<string, unknown> => {
  let missing = '';
  for (let at = 0; at < values.length; at += 1) if (values[at] === undefined) missing += `${at},`;
  const known = shapes.get(missing);
  if (known !== undefined) return known;
  const present = names.filter((_, at) => values[at] !== undefined).map((name) => [name, null]);
  const shape = JSON.parse(JSON.stringify(Object.fromEntries(present))) as Record<string, unknown>;
  shapes.set(missing, shape);
  return shape;
};

/** Returns the schema of the objects that `createFactJson` makes. */
export const factSchema = (vocabulary: Vocabulary): JsonSchema => {
  const slots = slotsOf(vocabulary);
  const optional = slots.filter((slot) => slot.optional).map(({ name }) => name);
  return objectOf(Object.fromEntries(slots.map(({ name, json }) => [name, json])), { optional });
};

/** Returns the schema of a fact with some of its members. */
export const factPartSchema = (vocabulary: Vocabulary): JsonSchema => {
  const slots = slotsOf(vocabulary);
  const names = slots.map(({ name }) => name);
  return objectOf(Object.fromEntries(slots.map(({ name, json }) => [name, json])), { optional: names });
};

const askedSlots = (slots: readonly Slot[], asked: ReadonlySet<string>): readonly Slot[] =>
  slots
    .filter(({ name, isOfPlugin }) => asked.has(name) || (isOfPlugin && asked.has(MARKS)))
    .map((slot) => ({ ...slot, omitsEmpty: !asked.has(slot.name) }));

const isEmpty = (value: unknown): boolean =>
  value === null || value === false || (Array.isArray(value) && value.length === 0);

/** Sorts the marks by id, so that the order of members does not depend on the order of plugins. */
const marksOf = (vocabulary: Vocabulary): readonly FactMark<unknown>[] =>
  [...vocabulary.words(FactMarks)].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Returns the members with a fixed position, then those that marks add. */
export const slotsOf = (vocabulary: Vocabulary): readonly Slot[] => {
  const slots = new Map<string, Slot>();
  for (const { id: name, json, read, optional = false, isExpected = false } of inOrder(vocabulary.words(FactMembers))) {
    slots.set(name, { name, json, read, optional, isOfPlugin: isExpected, mark: -1 });
  }
  for (const [mark, { members, optional = [] }] of marksOf(vocabulary).entries()) {
    for (const [name, json] of Object.entries(members)) {
      slots.set(name, { name, json, read: () => undefined, optional: optional.includes(name), isOfPlugin: true, mark });
    }
  }
  return [...slots.values()];
};
