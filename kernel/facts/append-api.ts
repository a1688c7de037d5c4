import type {
  FactOutline,
  LedgerHead,
  PreparedFact,
  Principal,
  ServiceError,
  StoredFact,
  TripleKey,
} from '../../ports/ports.ts';
import type { PluginSnapshot, PluginTransaction } from '../store/plugin-transaction.ts';
import type { FactDraft, Notes, Origin } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { FactNameKeys } from './match-key.ts';

/**
 * The subjects of refusals, by precedence. When several checks refuse a fact, the caller gets the first in this list,
 * so that the verdict does not depend on the order of plugins.
 */
export const CHECKS = [
  /** The content of the fact itself. */
  'member',
  /** The source of the fact. */
  'source',
  'signature',
  'name',
  'scope',
  /** The garden of the fact. */
  'place',
  'permission',
  'session',
  /** Another fact to which the fact refers. */
  'target',
  'other',
] as const;

export type Check = (typeof CHECKS)[number];

/**
 * Parts that handlers of `append:read` add to a draft. Each part belongs to one plugin; a second plugin that sets it
 * causes an error.
 */
export interface DraftParts {
  readonly gardenId?: string | null;
  readonly attested?: boolean;
  readonly attestedKeyId?: string;
  readonly replaces?: readonly string[];
  /** Returns the references for the final place of the fact, which another plugin may change after `append:read`. */
  derivedFrom?(place: Pick<TripleKey, 'scope' | 'gardenId'>): readonly string[];
}

/** The members of a fact that every phase sees. */
interface AppendSubject {
  readonly caller: Principal;
  readonly origin: Origin;
  /**
   * True for a client's own fact, which needs a check of rights. False for facts of the node, of a peer, and for
   * follow-ups.
   */
  readonly byClient: boolean;
  readonly notes: Notes | undefined;
  /** The name of the fact in violations: `body`, or `body[3]` in a batch. */
  readonly path: string;
}

/** A draft on its way to becoming a fact. */
export interface DraftItem extends AppendSubject {
  readonly draft: FactDraft;
  /** The match keys of its names, computed once. */
  readonly keys: FactNameKeys;
  complete(parts: DraftParts): void;
  /** Adds a warning to the answer, if the fact is stored. */
  warn(warning: string): void;
  /** Refuses this draft only: see `RefusableItem`. */
  reject(error: ServiceError, check?: Check): void;
}

/** The drafts of one call, before their transaction. */
export interface DraftBatch {
  readonly items: readonly DraftItem[];
  readonly caller: Principal;
}

/** A fact on its way into the store. */
export interface AppendItem extends AppendSubject {
  readonly fact: PreparedFact;
  /** The triple id, computed once for all handlers that group by it. */
  readonly tripleId: string;
  /** True when no earlier phase has given a verdict. Decisions of a phase are visible in the next one. */
  readonly open: boolean;
  /**
   * Stores a tag in the row of the fact, so that a plugin finds its facts in the ledger. `name` is a lower-case word,
   * such as the plugin's.
   */
  tag(name: string): void;
}

export interface RefusableItem extends AppendItem {
  /** Refuses this fact without affecting others in the transaction. */
  reject(error: ServiceError, check?: Check): void;
}

export interface SettleableItem extends AppendItem {
  /** Answers with an existing fact instead of storing this one. */
  settle(existing: StoredFact): void;
  /** Gives this item the outcome of an equal item earlier in the same transaction. */
  follow(earlier: AppendItem): void;
}

/** Facts whose rights to be stored are checked, in the transaction that stores them or on a snapshot. */
export interface AuthoriseBatch {
  /** The facts in the order of their arrival. */
  readonly items: readonly RefusableItem[];
  readonly snapshot: PluginSnapshot;
  readonly nowMs: number;
}

/** All facts that one transaction is about to store, in the order of their arrival. */
export interface AppendBatch<I extends AppendItem = RefusableItem> {
  readonly items: readonly I[];
  readonly transaction: PluginTransaction;
  readonly nowMs: number;
  /**
   * Live facts of the item's triple and place from before this transaction, strongest first, at most `SIBLING_LIMIT`.
   * They are read once for the whole batch, so a handler never needs a query per fact. Facts accepted earlier in this
   * batch are not among them.
   */
  siblings(item: AppendItem): readonly FactOutline[];
}

/** A fact that was just stored, still inside its transaction. */
export interface AppendedFact {
  readonly fact: StoredFact;
  /** The `tripleId` of the fact. */
  readonly tripleId: string;
  readonly caller: Principal;
  readonly origin: Origin;
  readonly notes: Notes | undefined;
}

/** Facts of one tenant that are about to be stored, with their stamps, in the order of the ledger. */
export interface LinkBatch {
  readonly facts: readonly { readonly fact: StoredFact; readonly commitment: Uint8Array }[];
  readonly tenantId: string;
  /** The end of the ledger before these facts. */
  readonly head: LedgerHead;
  readonly transaction: PluginTransaction;
}

export interface AppendedBatch {
  readonly facts: readonly AppendedFact[];
  readonly transaction: PluginTransaction;
  readonly nowMs: number;
  /** The facts of the triple before this transaction, as in `AppendBatch`. */
  siblings(appended: AppendedFact): readonly FactOutline[];
}

/** Facts of one tenant that an import has just stored, still inside its transaction. */
export interface RestoredBatch {
  readonly facts: readonly StoredFact[];
  readonly transaction: PluginTransaction;
}

/** The maximum number of siblings read per triple, which limits the work on a triple with thousands of facts. */
export const SIBLING_LIMIT = 64;

export type AppendVerdict =
  /** `existing` is true when the fact was stored before and nothing was written. */
  | { readonly kind: 'stored'; readonly view: FactView; readonly existing: boolean }
  | { readonly kind: 'rejected'; readonly error: ServiceError };

export interface AppendOptions {
  readonly origin?: Origin;
  /** Whether to return facts without the marks of plugins, which take time to compute. */
  readonly unmarked?: boolean;
  /**
   * Whether to keep this call out of a shared transaction, so that the state that `guard` saw is still valid when its
   * facts are stored.
   */
  readonly exclusive?: boolean;
  /** Runs inside the transaction before any check; a `ServiceError` rejects all facts of this call. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /** Runs inside the transaction after all follow-ups; a throw rolls the transaction back. */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly AppendVerdict[]): Promise<void>;
}
