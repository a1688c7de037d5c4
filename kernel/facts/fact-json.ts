import { defineRef } from '../../ports/ports.ts';
import { type JsonSchema, objectOf } from '../plugins/answer-schemas.ts';
import type { Vocabulary } from '../vocabulary/vocabulary.ts';
import { type FactMark, FactMarks, markOf } from './fact-marks.ts';
import { type FactMember, FactMembers, inOrder } from './fact-members.ts';
import type { FactView } from './fact-view.ts';

/** Turns what a caller sees of a fact into the fact object, whose members come in an order that never changes. */
export type FactJson = (view: FactView) => Record<string, unknown>;

export const FactJson = defineRef<FactJson>('kernel.fact-json');

/** One member of the fact object on this node: a mark that fills it, or how it is read from the view. */
type Slot = Pick<FactMember, 'json' | 'read'> & {
  readonly name: string;
  readonly optional: boolean;
  /** Place of the mark among all marks, or -1. */
  readonly mark: number;
};

export const createFactJson = (vocabulary: Vocabulary): FactJson => {
  const marks = marksOf(vocabulary);
  const slots = slotsOf(vocabulary);
  return (view) => {
    const filled = marks.map((mark) => mark.toJson(markOf(view, mark), view.fact));
    const json: Record<string, unknown> = {};
    for (const { name, mark, read } of slots) {
      const value = mark < 0 ? read(view) : filled[mark]?.[name];
      if (value !== undefined) json[name] = value;
    }
    return json;
  };
};

/** The schema of what `createFactJson` makes. */
export const factSchema = (vocabulary: Vocabulary): JsonSchema => {
  const slots = slotsOf(vocabulary);
  const optional = slots.filter((slot) => slot.optional).map(({ name }) => name);
  return objectOf(Object.fromEntries(slots.map(({ name, json }) => [name, json])), { optional });
};

/** By id, so that the order of members does not depend on which plugin is set up first. */
const marksOf = (vocabulary: Vocabulary): readonly FactMark<unknown>[] =>
  [...vocabulary.words(FactMarks)].sort((a, b) => (a.id < b.id ? -1 : 1));

/** Members with a place of their own, then those that marks add. */
const slotsOf = (vocabulary: Vocabulary): readonly Slot[] => {
  const slots = new Map<string, Slot>();
  for (const { id: name, json, read, optional = false } of inOrder(vocabulary.words(FactMembers))) {
    slots.set(name, { name, json, read, optional, mark: -1 });
  }
  for (const [mark, { members, optional = [] }] of marksOf(vocabulary).entries()) {
    for (const [name, json] of Object.entries(members)) {
      slots.set(name, { name, json, read: () => undefined, optional: optional.includes(name), mark });
    }
  }
  return [...slots.values()];
};
