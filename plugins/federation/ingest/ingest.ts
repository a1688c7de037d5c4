import type { PluginTransaction, Scope } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { FederatedFact, ProofVerdict, RenewedProof } from '../proofs/origin-proof.ts';

/** The reasons why a peer's fact is not stored, as `POST /v1/federation/facts/push` names them. */
export const REJECTIONS = [
  'invalid_fact',
  'scope_not_permitted',
  'source_not_owned',
  'invalid_origin_proof',
  'reserved_namespace',
  'garden_not_federated',
  'id_collision',
  'hlc_skew',
  'cid_mismatch',
  'instruction_rejected',
  'namespace_owned',
  'ingest_error',
] as const;
export type Rejection = (typeof REJECTIONS)[number];

/**
 * The reasons to park a fact for a later attempt: its stamp is in the future, its origin's key is unknown, or storing
 * it failed.
 */
export type ParkReason = 'hlc_skew' | 'unknown_key' | 'ingest_error';

/**
 * The outcome for one fact. `parked` occurs only on pull: the caller saves the fact, and tries to store it again later.
 */
export type IngestVerdict =
  | { readonly kind: 'stored' | 'known'; readonly factId: string }
  | { readonly kind: 'parked'; readonly factId: string; readonly reason: ParkReason; readonly stampMs: number }
  /**
   * A refused fact. `factId` is empty if no id can be read. `isPassedOn` is true if the fault came from an earlier
   * sender, and this sender could not detect it.
   */
  | { readonly kind: 'rejected'; readonly factId: string; readonly error: Rejection; readonly isPassedOn?: boolean };

export interface IngestPage {
  /** The facts as parsed from JSON, of any shape. */
  readonly facts: readonly unknown[];
  readonly peering: Peering;
  /** The scopes that the sender may send at present. */
  readonly scopes: ReadonlySet<Scope>;
  readonly via: 'pull' | 'push';
  /** True for parked facts, whose faults are logged already. */
  readonly isRetry?: boolean;
  /**
   * The maximum number of new facts that the page may add. A larger page is rejected as a whole with `quota_exceeded`.
   */
  readonly mayAdd?: number;
  /**
   * Fetches newer keys of these nodes, once per page, if facts are signed with unknown keys. Returns the updated
   * peering.
   */
  refreshKeys?(nodeIds: readonly string[]): Promise<Peering>;
  /** Runs in each transaction before the facts are stored. If it rejects, nothing is stored. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /**
   * Runs in the transaction that stores the facts, after them, and even if there are none. An error rolls the
   * transaction back. If a page had to be split because a fact failed, earlier parts are already stored.
   */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly IngestVerdict[]): Promise<void>;
}

/** The results of all checks that need no transaction. */
export interface JudgedPage {
  /** The results in the order of the page; undefined for facts that passed every check. */
  readonly verdicts: readonly (IngestVerdict | undefined)[];
  readonly candidates: readonly Candidate[];
  /** The ids of known facts for which the peer sent a later expiry. */
  readonly extended: readonly string[];
  /** The newer proofs of known facts. */
  readonly renewed: readonly RenewedProof[];
}

/** A fact that has passed every check so far. */
export interface Candidate {
  /** The index of the fact in the page. */
  readonly at: number;
  readonly fact: FederatedFact;
  readonly proof: ProofVerdict;
  readonly gardenId: string | null;
  /** The id under which this node stores the fact. It differs from that of the draft if a stored fact has that one. */
  readonly localId: string;
  /** The local ids of the facts with the same id at their origins that were stored when the page was judged. */
  readonly namesakes: readonly string[];
  /** Those among them that the proof of this fact refutes. */
  readonly copies: readonly string[];
}

/** Stores facts of peers, for both pull and push. A repeated page changes nothing. */
export interface Ingest {
  /**
   * Returns a result for each fact, in order. One transaction stores all accepted facts. Rejects, and stores nothing,
   * if the store fails or `guard` or `beforeCommit` rejects. `judged` is the result of `judge` for the same facts.
   */
  take(page: IngestPage, judged?: JudgedPage): Promise<readonly IngestVerdict[]>;
  /**
   * Checks each fact separately, without storing it. The puller uses it to verify the signatures of the next page while
   * this one is stored. `take` recognises facts that were stored in between.
   */
  judge(page: Pick<IngestPage, 'facts' | 'peering' | 'scopes' | 'via' | 'refreshKeys'>): Promise<JudgedPage>;
}
