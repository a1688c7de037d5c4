import type { FactValue } from './fact.ts';

/**
 * A value as the text that a store keeps of it; null for null. The bytes of a page are counted by it, in the store and
 * by its callers: if the two differed, a caller could take the end of a page for the end of a list.
 */
export const storedText = (v: FactValue['v']): string | null => {
  if (v === null || typeof v === 'string') return v;
  return Object.is(v, -0) ? '-0' : String(v);
};
