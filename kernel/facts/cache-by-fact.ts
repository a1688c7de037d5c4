import type { StoredFact } from '../../ports/ports.ts';

/**
 * Caches a result that depends on a fact alone, for as long as the store returns the same object. A fact that is not
 * frozen may still change, so its result is computed again.
 */
export const cacheByFact = <T extends NonNullable<unknown> | null>(
  make: (fact: StoredFact) => T,
): ((fact: StoredFact) => T) => {
  const cache = new WeakMap<StoredFact, T>();
  return (fact) => {
    const known = cache.get(fact);
    if (known !== undefined) return known;
    const made = make(fact);
    if (Object.isFrozen(fact)) cache.set(fact, made);
    return made;
  };
};
