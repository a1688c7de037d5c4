import type { JsonSchema } from '../schemas/answer-schemas.ts';
import { defineVocabulary, type Word } from '../vocabulary/define-vocabulary.ts';
import type { FactView } from './fact-view.ts';

/** A member of the fact object, and its value when no mark provides one. */
export interface FactMember extends Word {
  readonly json: JsonSchema;
  /**
   * Returns the value; undefined omits the member, if `optional` allows that. The result must depend on the view alone,
   * because the text is cached.
   */
  read(this: void, view: FactView): unknown;
  readonly optional?: boolean;
  /** The name of the member before it. Default: the last member declared so far. */
  readonly after?: string;
  /** True for a member whose value comes from plugins. */
  readonly isExpected?: true;
}

export const FactMembers = defineVocabulary<FactMember>('place of the fact member', /^[a-z][a-z0-9_]*$/);

const FilledMembers = defineVocabulary('fact member', /^[a-z][a-z0-9_]*$/);

/** A name in `fields` that stands for several members, so that no member can have it. */
export const COMPACT = 'compact';
export const MARKS = 'marks';

export const RESERVED_FIELDS: readonly Word[] = [COMPACT, MARKS].map((name) => FilledMembers.reserve(name));

/** Returns the word by which two owners of one member are detected as a clash. */
export const claimMember = (name: string): Word =>
  FilledMembers.define(name, { summary: 'a member of the fact object' });

type Definition = Pick<FactMember, 'json' | 'read' | 'optional' | 'after'>;

/** Declares a member that depends only on the fact. No mark may provide its value. */
export const defineFactMember = (name: string, definition: Definition): FactMember =>
  FactMembers.define(name, { ...definition, summary: 'a member of the fact object', parts: [claimMember(name)] });

/**
 * Declares a member that every fact object has, even when no plugin fills it. The mark of a plugin may provide its
 * value.
 */
export const defineExpectedMember = (name: string, definition: Definition): FactMember =>
  FactMembers.define(name, {
    ...definition,
    summary: 'a member that clients expect in the fact object',
    isExpected: true,
  });

/** Returns the members in their order in the fact object. */
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
