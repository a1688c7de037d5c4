import type { FactValue } from './fact.ts';

/**
 * Returns the text form of a value in a store; null for null. The store and its callers both use it to count the bytes
 * of a page. If they differed, a caller could mistake the end of a page for the end of a list.
 */
export const storedText = (v: FactValue['v']): string | null => {
  if (v === null || typeof v === 'string') return v;
  return Object.is(v, -0) ? '-0' : String(v);
};
