import type { PluginTransaction, Scope } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';
import type { FederatedFact, ProofVerdict } from '../proofs/origin-proof.ts';

/** Why a fact of a peer was not stored: the words of `POST /v1/federation/facts/push`. */
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

/** Why a fact has to wait: its stamp lies ahead, the key of its origin is not known yet, or storing it failed. */
export type ParkReason = 'hlc_skew' | 'unknown_key' | 'ingest_error';

/** What became of one fact. `parked`: to be set aside durably by the caller, and tried again later; on pull alone. */
export type IngestVerdict =
  | { readonly kind: 'stored' | 'known'; readonly factId: string }
  | { readonly kind: 'parked'; readonly factId: string; readonly reason: ParkReason; readonly stampMs: number }
  /**
   * `factId` is empty where no id can be read. `isPassedOn`: what is wrong was wrong when it came to the sender, who
   * could not know.
   */
  | { readonly kind: 'rejected'; readonly factId: string; readonly error: Rejection; readonly isPassedOn?: boolean };

export interface IngestPage {
  /** As parsed from JSON, of any shape. */
  readonly facts: readonly unknown[];
  readonly peering: Peering;
  /** What the sender may bring now. */
  readonly scopes: ReadonlySet<Scope>;
  readonly via: 'pull' | 'push';
  /** These facts were parked: what is wrong with them is in the log already. */
  readonly isRetry?: boolean;
  /** Most facts that the page may add; more of them reject the whole page with `quota_exceeded`. */
  readonly mayAdd?: number;
  /**
   * Asks for the newer keys of these nodes, once, where facts are signed by keys that are not known. Returns the
   * peering as it is afterwards.
   */
  refreshKeys?(nodeIds: readonly string[]): Promise<Peering>;
  /** Runs in each transaction before anything is stored; its rejection keeps everything out. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /**
   * Runs in the transaction that stores the facts, after that, also when there are none; a throw rolls it back. Facts
   * of a page that had to be taken apart, because storing one of them failed, are stored before.
   */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly IngestVerdict[]): Promise<void>;
}

/** What is found out about a page before any transaction. */
export interface JudgedPage {
  /** In the order of the page; undefined for candidates. */
  readonly verdicts: readonly (IngestVerdict | undefined)[];
  readonly candidates: readonly Candidate[];
  /** Ids of known facts that the peer wants to last longer. */
  readonly extended: readonly string[];
}

/** A fact that nothing speaks against so far. */
export interface Candidate {
  /** Place in the page. */
  readonly at: number;
  readonly fact: FederatedFact;
  readonly proof: ProofVerdict;
  readonly gardenId: string | null;
}

/** Takes facts of peers in: the same steps for pull and push. Idempotent. */
export interface Ingest {
  /**
   * A verdict for each fact, in order. All that is accepted is stored in one transaction. Rejects, and stores nothing,
   * when the store fails or `guard` or `beforeCommit` rejects. `judged` is what `judge` returned for the same facts.
   */
  take(page: IngestPage, judged?: JudgedPage): Promise<readonly IngestVerdict[]>;
  /**
   * Judges each fact by itself, without storing anything: for callers with a page to spare, whose signatures are
   * verified while the page before it is stored. Facts that are stored meanwhile are known to `take` all the same.
   */
  judge(page: Pick<IngestPage, 'facts' | 'peering' | 'scopes' | 'via' | 'refreshKeys'>): Promise<JudgedPage>;
}
