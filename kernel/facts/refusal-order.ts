import type { ServiceError } from '../../ports/ports.ts';
import { CHECKS, type Check } from './append-api.ts';

export interface Refusal {
  readonly error: ServiceError;
  readonly check: Check;
}

/** Returns the refusal with precedence, regardless of the order of the arguments. */
export const firstRefusal = (known: Refusal | undefined, found: Refusal): Refusal =>
  known === undefined || comesBefore(found, known) ? found : known;

const comesBefore = (a: Refusal, b: Refusal): boolean =>
  a.check === b.check ? textOf(a) < textOf(b) : CHECKS.indexOf(a.check) < CHECKS.indexOf(b.check);

/** Returns a sort key for refusals of equal precedence, so that the order of handlers does not matter. */
const textOf = ({ error }: Refusal): string => `${error.code} ${error.message}`;
