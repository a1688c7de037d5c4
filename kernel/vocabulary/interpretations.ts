import { defineVocabulary, type Word } from './define-vocabulary.ts';
import type { ErrorWord } from './error-codes.ts';
import type { PermissionWord } from './permissions.ts';

/** How readers may take a value beyond its plain content (`interpret_as`), and who may assert such a fact. */
export interface Interpretation extends Word {
  readonly permission: PermissionWord;
  /** The code for callers without the permission. */
  readonly refusal: ErrorWord;
  /** What they are told. */
  readonly message: string;
}

export const Interpretations = defineVocabulary<Interpretation>('interpretation of a value', /^[a-z][a-z0-9_-]*$/);

/**
 * Ties an interpretation to a permission. Clients are refused one that nobody declares: a reader may act upon it, so
 * the right to assert it must not come about by leaving a plugin out.
 */
export const defineInterpretation = (
  id: string,
  definition: Pick<Interpretation, 'summary' | 'permission' | 'refusal' | 'message'>,
): Interpretation => Interpretations.define(id, definition);
