import type { RedactedFacts } from '../../../kernel/internal-api.ts';
import type {
  ErasureCounts,
  FactDraft,
  PluginSnapshot,
  PluginTransaction,
  StoredFact,
} from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { ProvenFact } from './proof-rows.ts';

/**
 * The member `origin_proof` of a served fact. With the origin's keys, anybody can verify that the origin asserted the
 * fact.
 */
export interface OriginProof {
  readonly keyId: string;
  /** 16 random bytes in base64url. */
  readonly salt: string;
  readonly refsSalt: string;
  /** The Ed25519 signature in base64url. */
  readonly signature: string;
}

/** A well-formed fact of a peer. */
export interface FederatedFact {
  readonly draft: FactDraft & { readonly id: string; readonly hlcText: string; readonly timestamp: string };
  /** The node id of the origin, as sent; null or absent if the sender is the origin. */
  readonly originNodeId: string | null;
  readonly proof: OriginProof | null;
}

/**
 * `verified`: signed by a known key of the origin. `unverified`: the origin's keys are unknown. `absent`: the fact came
 * without a proof, and needs none. `missing`: a required proof is absent or malformed. `invalid`: the signature is
 * wrong. `unknown-key`: the origin is a peer, and its key with this id is not known yet. `ended-key`: the key of the
 * proof has ended, and proves nothing new.
 */
export type ProofVerdict = 'verified' | 'unverified' | 'absent' | 'missing' | 'invalid' | 'unknown-key' | 'ended-key';

/** A fact of a page that is stored here already. */
export interface KnownFact {
  /** The index of the fact in the page. */
  readonly at: number;
  readonly fact: FederatedFact;
  /** The local id of the fact. */
  readonly id: string;
  /** True if this node received its stored copy from the same sender. */
  readonly isSameSender: boolean;
}

/** A newer proof of a stored fact. */
export interface RenewedProof {
  readonly id: string;
  readonly proof: OriginProof;
}

export interface OriginProofs {
  /**
   * Returns the proofs of these facts of one tenant, by fact id. Creates and stores missing proofs of facts that were
   * first stored here. A received fact has the proof that came with it, or none.
   */
  of(facts: readonly StoredFact[]): Promise<ReadonlyMap<string, OriginProof>>;
  /** Verifies the proofs of facts from one sender, in order. Fetches nothing. */
  judge(facts: readonly FederatedFact[], sender: Peering): Promise<readonly ProofVerdict[]>;
  /**
   * Compares the proofs of known facts with the stored ones. `renewed` are those by the current key of the origin, or,
   * where its keys are unknown, those that the same sender now sends. `unknown` are those by a key that is new here.
   */
  renewals(
    facts: readonly KnownFact[],
    sender: Peering,
  ): Promise<{ readonly renewed: readonly RenewedProof[]; readonly unknown: readonly KnownFact[] }>;
  /**
   * Replaces stored proofs, and adds the facts to the feed again, so that peers fetch them once more. Skips erased
   * facts.
   */
  renew(proofs: readonly RenewedProof[], tenantId: string, transaction: PluginTransaction): Promise<void>;
  /** Stores the proofs that came with facts of one tenant, in the transaction that stores the facts. */
  keep(
    facts: readonly { readonly stored: ProvenFact; readonly fact: FederatedFact; readonly verdict: ProofVerdict }[],
    transaction: PluginTransaction,
  ): Promise<void>;
  /** Returns the facts among these whose origin has signed them, as this node verified. */
  verifiedAmong(factIds: readonly string[], tenantId: string, snapshot: PluginSnapshot): Promise<ReadonlySet<string>>;
  /**
   * Replaces the salts by the commitments, for facts that will be erased but still have their values. The proof still
   * verifies, but nobody can test guesses of the value.
   */
  redact(facts: readonly StoredFact[], transaction: PluginTransaction): Promise<ErasureCounts>;
  /**
   * Removes the salt of the references, for facts whose references will be redacted. Facts of this node get a new
   * signature when they are next served; received ones are no longer relayed.
   */
  redactReferences(redacted: RedactedFacts): Promise<void>;
}
