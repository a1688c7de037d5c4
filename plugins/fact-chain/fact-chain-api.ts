import { defineRef, type Principal, type StoredFact } from '../../kernel/plugin-api.ts';

/**
 * The hash chain over all facts of a tenant, in the order of their commits. A saved head proves later whether any fact
 * before it was changed, removed or added.
 */
export interface FactChain {
  /**
   * Returns the proof of the caller's tenant as JSON, in the form of the member `chain_proof`. Null while the tenant
   * has no facts. Verifies the links of `facts`, which the caller is about to see, and of all facts since the last
   * proof. A verified prefix is not hashed again. Facts from a time without the plugin get their links first, unless
   * a background task has linked them. After very many new facts the proof ends before the newest of them. Needs
   * `admin` or `audit.read`, because a proof counts facts that the caller may not see. Rejects with
   * `fact_chain_mismatch` (409) for a broken chain.
   */
  prove(caller: Principal, facts: readonly StoredFact[]): Promise<Readonly<Record<string, unknown>> | null>;
}

export const FactChain = defineRef<FactChain>('fact-chain.chain');
