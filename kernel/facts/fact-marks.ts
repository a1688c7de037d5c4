import type { StoredFact } from '../../ports/ports.ts';
import type { JsonSchema } from '../schemas/answer-schemas.ts';
import { defineVocabulary, type Word } from '../vocabulary/define-vocabulary.ts';
import { claimMember } from './fact-members.ts';
import type { FactView } from './fact-view.ts';

declare const marks: unique symbol;

/** A plugin's statement about a fact, as seen by a caller, with the members that it adds to the fact object. */
export interface FactMark<T> extends Word {
  /** The schemas of the members, by name. */
  readonly members: Readonly<Record<string, JsonSchema>>;
  /** The members that `toJson` may omit. */
  readonly optional?: readonly string[];
  /**
   * Returns the members for one fact; `value` is undefined for a fact without the mark. The result must depend on both
   * alone, because the text is cached.
   */
  toJson(this: void, value: T | undefined, fact: StoredFact): Readonly<Record<string, unknown>>;
  readonly [marks]?: (value: T) => T;
}

export const FactMarks = defineVocabulary<FactMark<unknown>>('fact mark', /^[a-z][a-z0-9]*([.-][a-z0-9]+)*$/);

/**
 * Declares a mark. The plugin lists it in `declares` and sets it with `withMark` when it handles `read:annotate`. A
 * mark without members is only for other plugins. No two marks may add the same member.
 */
export const defineFactMark = <T>(id: string, definition: Pick<FactMark<T>, 'summary'> & Partial<MarkJson<T>>) => {
  const { members = {}, toJson = () => ({}), ...more } = definition;
  const parts = Object.keys(members).map(claimMember);
  return FactMarks.define(id, {
    ...more,
    members,
    toJson: toJson as MarkJson<unknown>['toJson'],
    parts,
  }) as FactMark<T>;
};

type MarkJson<T> = Pick<FactMark<T>, 'members' | 'optional' | 'toJson'>;

/** Returns the value of the mark on the fact; undefined without the mark. */
export const markOf = <T>(view: Pick<FactView, 'marks'>, mark: FactMark<T>): T | undefined =>
  view.marks[mark.id] as T | undefined;

/** Returns a view with the mark. */
export const withMark = <T, V extends FactView>(view: V, mark: FactMark<T>, value: NoInfer<T>): V => ({
  ...view,
  marks: { ...view.marks, [mark.id]: value },
});
