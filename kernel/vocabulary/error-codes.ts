import { CORE_ERRORS } from '../../ports/ports.ts';
import { defineVocabulary, type Word } from './define-vocabulary.ts';

/** An error code for refusals, with its HTTP status. `new ServiceError(WORD, …)` accepts it. */
export interface ErrorWord extends Word {
  readonly status: number;
}

export const ErrorCodes = defineVocabulary<ErrorWord>('error code', /^[a-z][a-z0-9_]*$/);

/**
 * Declares an error code of a plugin: `defineErrorCode('budget_spent', { status: 409, summary: 'no budget is left' })`.
 * The plugin lists it in `declares`; others import it from the plugin's `<name>-api.ts`.
 */
export const defineErrorCode = (
  id: string,
  { status, summary }: { readonly status: number; readonly summary: string },
): ErrorWord => {
  if (!Number.isInteger(status) || status < 400 || status > 599) {
    throw new RangeError(`the error code ${id} needs a status from 400 to 599`);
  }
  return ErrorCodes.define(id, { status, summary });
};

/** Every core error but `bad_parameter`, which clients see as `validation`. */
export const CORE_ERROR_CODES: readonly ErrorWord[] = Object.entries(CORE_ERRORS)
  .filter(([id]) => id !== 'bad_parameter')
  .map(([id, definition]) => defineErrorCode(id, definition));
