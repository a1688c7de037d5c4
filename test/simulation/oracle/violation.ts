/** A broken invariant. */
export class Violation extends Error {
  override readonly name = 'Violation';

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
  }
}

/** Throws a violation unless the condition holds. */
export const holds = (invariant: string, condition: boolean, what: () => string): void => {
  if (!condition) throw new Violation(invariant, what());
};
