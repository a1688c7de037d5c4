import type { StoredFact } from '../../ports/ports.ts';

/** A fact as seen by one caller. */
export interface FactView {
  readonly fact: StoredFact;
  /** The marks that plugins set, by their id: see `markOf` and `withMark`. */
  readonly marks: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** Returns the view of a fact without marks. */
export const plainView = (fact: StoredFact): FactView => ({ fact, marks: NO_MARKS, warnings: NO_WARNINGS });

const NO_MARKS: FactView['marks'] = Object.freeze({});
const NO_WARNINGS: FactView['warnings'] = Object.freeze([]);
