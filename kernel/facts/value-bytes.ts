import type { StoredFact } from '../../ports/ports.ts';

/** Bytes of the values of facts as the store counts them for `FactQuery.maxBytes`: whatever is no text is short. */
export const valueBytesOf = (facts: readonly Pick<StoredFact, 'value'>[]): number =>
  facts.reduce((sum, { value: { v } }) => sum + (v === null ? 0 : Buffer.byteLength(String(v))), 0);
