/** One text of a compiled file in the place of another. */
export interface Mutation {
  /** Below `dist`. */
  readonly file: string;
  /** Occurs once in the file. */
  readonly from: string;
  readonly to: string;
}

/** A mistake that somebody could make, and what notices it. */
export interface Mutant extends Mutation {
  readonly name: string;
  /** What is wrong then, for the README. */
  readonly bug: string;
  readonly caughtBy: { readonly seed: number } | { readonly test: string };
}

export const MUTANTS: readonly Mutant[] = [];
