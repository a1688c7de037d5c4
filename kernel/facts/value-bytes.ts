import { type StoredFact, storedText } from '../../ports/ports.ts';

/** Returns the bytes of the values of facts, counted exactly as the store does for `FactQuery.maxBytes`. */
export const valueBytesOf = (facts: readonly Pick<StoredFact, 'value'>[]): number =>
  facts.reduce((sum, { value: { v } }) => sum + Buffer.byteLength(storedText(v) ?? ''), 0);
