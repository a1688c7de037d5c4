import type { StoredFact } from '../../ports/ports.ts';

/**
 * Caches a result that depends only on a fact, while the store returns the same object. It does not cache for a fact
 * that is not frozen, because that may still change.
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
