import type { StoredFact } from '../../ports/ports.ts';

/** A fact as one caller sees it. */
export interface FactView {
  readonly fact: StoredFact;
  /** What plugins say of the fact, by the id of the mark: see `markOf` and `withMark`. */
  readonly marks: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** A fact of which nobody says anything yet. */
export const plainView = (fact: StoredFact): FactView => ({ fact, marks: NO_MARKS, warnings: NO_WARNINGS });

const NO_MARKS: FactView['marks'] = Object.freeze({});
const NO_WARNINGS: FactView['warnings'] = Object.freeze([]);
