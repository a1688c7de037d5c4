import { defineVocabulary, type Word } from './define-vocabulary.ts';
import type { ErrorWord } from './error-codes.ts';
import type { PermissionWord } from './permissions.ts';

/** A way to read a value beyond its plain content (`interpret_as`), and the permission to assert such a fact. */
export interface Interpretation extends Word {
  readonly permission: PermissionWord;
  /** The error code for callers without the permission. */
  readonly refusal: ErrorWord;
  /** The message of that refusal. */
  readonly message: string;
}

export const Interpretations = defineVocabulary<Interpretation>('interpretation of a value', /^[a-z][a-z0-9_-]*$/);

/**
 * Requires a permission for an interpretation. Clients cannot assert an undeclared interpretation, because readers may
 * act upon the value: disabling a plugin must not grant the right to assert it.
 */
export const defineInterpretation = (
  id: string,
  definition: Pick<Interpretation, 'summary' | 'permission' | 'refusal' | 'message'>,
): Interpretation => Interpretations.define(id, definition);
