import type { JsonSchema } from '../schemas/answer-schemas.ts';
import { defineVocabulary, type Word } from '../vocabulary/define-vocabulary.ts';
import type { FactView } from './fact-view.ts';

/** A member of the fact object, and its value while no mark fills it. */
export interface FactMember extends Word {
  readonly json: JsonSchema;
  /**
   * Undefined leaves the member out, which `optional` allows. Depends on the view alone, because the text is cached.
   */
  read(this: void, view: FactView): unknown;
  readonly optional?: boolean;
  /** The member before it. Without one it comes after all that were declared before it. */
  readonly after?: string;
  /** Marks a member for plugins to fill. */
  readonly isExpected?: true;
}

export const FactMembers = defineVocabulary<FactMember>('place of the fact member', /^[a-z][a-z0-9_]*$/);

const FilledMembers = defineVocabulary('fact member', /^[a-z][a-z0-9_]*$/);

/** These names in `fields` stand for several members, so no member can have them. */
export const COMPACT = 'compact';
export const MARKS = 'marks';

export const RESERVED_FIELDS: readonly Word[] = [COMPACT, MARKS].map((name) => FilledMembers.reserve(name));

/** The word by which two owners of one member clash. */
export const claimMember = (name: string): Word =>
  FilledMembers.define(name, { summary: 'a member of the fact object' });

type Definition = Pick<FactMember, 'json' | 'read' | 'optional' | 'after'>;

/** Declares a member that is read from the fact alone. No mark may fill it. */
export const defineFactMember = (name: string, definition: Definition): FactMember =>
  FactMembers.define(name, { ...definition, summary: 'a member of the fact object', parts: [claimMember(name)] });

/**
 * Declares a member that clients expect in every fact object, whether or not a plugin is there to fill it. The mark
 * of a plugin may claim it and then gives its content.
 */
export const defineExpectedMember = (name: string, definition: Definition): FactMember =>
  FactMembers.define(name, {
    ...definition,
    summary: 'a member that clients expect in the fact object',
    isExpected: true,
  });

/** Members in the order in which the fact object has them. */
export const inOrder = (members: readonly FactMember[]): readonly FactMember[] => {
  const ordered = members.filter(({ after }) => after === undefined);
  let waiting = members.filter(({ after }) => after !== undefined);
  while (waiting.length > 0) {
    const left = waiting.filter((member) => {
      const at = ordered.findIndex(({ id }) => id === member.after);
      if (at >= 0) ordered.splice(at + 1, 0, member);
      return at < 0;
    });
    if (left.length === waiting.length) return [...ordered, ...left];
    waiting = left;
  }
  return ordered;
};
