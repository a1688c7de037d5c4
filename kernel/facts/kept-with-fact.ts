import type { StoredFact } from '../../ports/ports.ts';

/**
 * What is worked out of a fact alone, and then kept as long as the store returns the same object: facts do not change.
 * A fact that is not frozen may still change, and is worked out anew.
 */
export const keptWithFact = <T extends NonNullable<unknown> | null>(
  make: (fact: StoredFact) => T,
): ((fact: StoredFact) => T) => {
  const kept = new WeakMap<StoredFact, T>();
  return (fact) => {
    const known = kept.get(fact);
    if (known !== undefined) return known;
    const made = make(fact);
    if (Object.isFrozen(fact)) kept.set(fact, made);
    return made;
  };
};
