import type { PluginTransaction, Scope } from '../../../kernel/plugin-api.ts';
import type { Peering } from '../peerings/peering.ts';

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
  'ingest_error',
] as const;
export type Rejection = (typeof REJECTIONS)[number];

/** What became of one fact. `parked`: set aside durably, and tried again later; on pull alone. */
export type IngestVerdict =
  | { readonly kind: 'stored' | 'known' | 'parked'; readonly factId: string }
  | { readonly kind: 'rejected'; readonly factId: string; readonly error: Rejection };

export interface IngestPage {
  /** As parsed from JSON, of any shape. */
  readonly facts: readonly unknown[];
  readonly peering: Peering;
  /** What the sender may bring now. */
  readonly scopes: ReadonlySet<Scope>;
  readonly via: 'pull' | 'push';
  /** Runs in the transaction before anything is stored; its rejection keeps everything out. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /** Runs in the same transaction after everything is stored, also when nothing was; a throw rolls it back. */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly IngestVerdict[]): Promise<void>;
}

/** Takes facts of peers in: the same steps for pull and push. Idempotent. */
export interface Ingest {
  /** A verdict for each fact, in order. All that is accepted is stored in one transaction. */
  take(page: IngestPage): Promise<readonly IngestVerdict[]>;
}
