import type {
  ErasureCounts,
  FactDraft,
  PluginTransaction,
  RedactedFacts,
  StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';

/**
 * The member `origin_proof` of a served fact: by it anybody who knows the origin's keys sees that the origin said so.
 */
export interface OriginProof {
  readonly keyId: string;
  /** base64url of 16 bytes each. */
  readonly salt: string;
  readonly refsSalt: string;
  /** base64url of the Ed25519 signature. */
  readonly signature: string;
}

/** A fact of a peer, read and checked for its form. */
export interface FederatedFact {
  readonly draft: FactDraft & { readonly id: string; readonly hlcText: string; readonly timestamp: string };
  /** As sent; null or absent where the sender is the origin. */
  readonly originNodeId: string | null;
  readonly proof: OriginProof | null;
}

/**
 * `verified`: signed by a known key of the origin. `unverified`: the keys of the origin are not known. `absent`: no
 * proof came, and none is needed. `missing`: one is needed, and none came, or none that can be verified. `invalid`: the
 * signature is wrong.
 * `unknown-key`: the origin is a peer, and its key of this id is not known yet.
 */
export type ProofVerdict = 'verified' | 'unverified' | 'absent' | 'missing' | 'invalid' | 'unknown-key';

export interface OriginProofs {
  /**
   * The proofs of these facts of one tenant, by fact id. For facts that were first stored here they are made now, where
   * they were never made, and are stored when the promise resolves; received ones have what came with them, or none.
   */
  of(facts: readonly StoredFact[]): Promise<ReadonlyMap<string, OriginProof>>;
  /** Judges facts of one sender, in order. Fetches nothing. */
  judge(facts: readonly FederatedFact[], sender: Peering): Promise<readonly ProofVerdict[]>;
  /** Keeps what came with facts, in the transaction that stores them. */
  keep(
    facts: readonly { readonly fact: FederatedFact; readonly verdict: ProofVerdict }[],
    tenantId: string,
    transaction: PluginTransaction,
  ): Promise<void>;
  /**
   * For facts that are about to be erased, and still have their values: replaces the salts by the commitments, so that
   * the proof still verifies and says nothing more.
   */
  redact(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<ErasureCounts>;
  /**
   * For facts whose references are about to be redacted: the salt of their references goes. Facts of this node are
   * signed anew when they are next served; others are relayed no more.
   */
  redactReferences(redacted: RedactedFacts): Promise<void>;
}
