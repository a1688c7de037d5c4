import { type StoredFact, storedText } from '../../ports/ports.ts';

/** Bytes of the values of facts, exactly as the store counts them for `FactQuery.maxBytes`. */
export const valueBytesOf = (facts: readonly Pick<StoredFact, 'value'>[]): number =>
  facts.reduce((sum, { value: { v } }) => sum + Buffer.byteLength(storedText(v) ?? ''), 0);
