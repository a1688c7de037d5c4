import type { StoredFact } from '../../ports/ports.ts';

/** A fact as one caller sees it. */
export interface FactView {
  readonly fact: StoredFact;
  /** The marks that plugins set, by the id of the mark: see `markOf` and `withMark`. */
  readonly marks: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** The view of a fact before any plugin has set a mark. */
export const plainView = (fact: StoredFact): FactView => ({ fact, marks: NO_MARKS, warnings: NO_WARNINGS });

const NO_MARKS: FactView['marks'] = Object.freeze({});
const NO_WARNINGS: FactView['warnings'] = Object.freeze([]);
