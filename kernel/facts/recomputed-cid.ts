import type { StoredFact } from '../../ports/ports.ts';
import { cacheByFact } from './cache-by-fact.ts';
import { contentId } from './content-id.ts';

/** Computes the content id from the stored row; null if the row is too damaged to compute one. */
export const recomputedCid = cacheByFact((fact: StoredFact): string | null => {
  if (fact.damage !== undefined) return null;
  try {
    return contentId(fact);
  } catch {
    return null;
  }
});

/** Returns whether an erasure has destroyed the value of a fact, or the key of its value. */
export const isErased = ({ damage, cid, value }: StoredFact): boolean =>
  damage === undefined && cid === '' && value.v === null;

/** Returns whether every column of a fact could be read, and its content matches its content id. */
export const isIntact = (fact: StoredFact): boolean => recomputedCid(fact) === fact.cid;
