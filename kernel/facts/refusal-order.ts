import type { ServiceError } from '../../ports/ports.ts';
import { CHECKS, type Check } from './append-api.ts';

export interface Refusal {
  readonly error: ServiceError;
  readonly check: Check;
}

/** The refusal that the caller is told, whichever of the two was found first. */
export const firstRefusal = (known: Refusal | undefined, found: Refusal): Refusal =>
  known === undefined || comesBefore(found, known) ? found : known;

const comesBefore = (a: Refusal, b: Refusal): boolean =>
  a.check === b.check ? textOf(a) < textOf(b) : CHECKS.indexOf(a.check) < CHECKS.indexOf(b.check);

/** Some order among equals, so that the order of handlers is none. */
const textOf = ({ error }: Refusal): string => `${error.code} ${error.message}`;
