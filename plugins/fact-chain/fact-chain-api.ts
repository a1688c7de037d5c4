import { defineRef, type Principal, type StoredFact } from '../../kernel/plugin-api.ts';

/** JSON Schema of the proof that `FactChain.prove` makes, for answers that show one. */
export { CHAIN_PROOF_JSON } from './chain-proof-json.ts';

/**
 * The hash chain over all facts of a tenant, in the order of their commits. Someone who keeps a head can tell later
 * whether any fact before it was changed, left out or added.
 */
export interface FactChain {
  /**
   * The proof of the caller's tenant as JSON, as `CHAIN_PROOF_JSON` describes it; null while the tenant has no facts.
   * Verifies the links of `facts`, which are those that the caller is about to see, and what was added since the last
   * proof; a verified prefix is never hashed again. Facts that were stored while the plugin was off get their links
   * first, unless the background has linked them already. After very many new facts the proof ends before the newest of
   * them.
   * Needs `admin` or `audit.read`, because a proof counts facts that the caller may not see. Rejects with
   * `fact_chain_mismatch` (409) when something does not fit.
   */
  prove(caller: Principal, facts: readonly StoredFact[]): Promise<Readonly<Record<string, unknown>> | null>;
}

export const FactChain = defineRef<FactChain>('fact-chain.chain');
