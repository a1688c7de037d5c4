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
 * The subjects of refusals, by precedence. Where several checks refuse a fact, the caller gets the first of this list,
 * so that no verdict depends on the order of plugins.
 */
export const CHECKS = [
  /** The content of the fact itself. */
  'member',
  /** The source that it names. */
  'source',
  'signature',
  'name',
  'scope',
  /** The garden. */
  'place',
  'permission',
  'session',
  /** Another fact that it refers to. */
  'target',
  'other',
] as const;

export type Check = (typeof CHECKS)[number];

/**
 * Parts that handlers of `append:read` add to a draft. Each part belongs to one plugin; a second plugin that sets it
 * fails.
 */
export interface DraftParts {
  readonly gardenId?: string | null;
  readonly attested?: boolean;
  readonly attestedKeyId?: string;
  /** Called with the place of the fact, which another plugin may change after `append:read`. */
  derivedFrom?(place: Pick<TripleKey, 'scope' | 'gardenId'>): readonly string[];
}

/** The members that every phase sees of a fact. */
interface AppendSubject {
  readonly caller: Principal;
  readonly origin: Origin;
  /**
   * True for a client's own fact, whose rights are checked. False for facts of the node, of a peer, and for follow-ups.
   */
  readonly byClient: boolean;
  readonly notes: Notes | undefined;
  /** The name of the fact in violations: `body`, or `body[3]` in a batch. */
  readonly path: string;
}

/** A draft on its way to becoming a fact. */
export interface DraftItem extends AppendSubject {
  readonly draft: FactDraft;
  /** Match keys of its names, worked out once for everything that follows. */
  readonly keys: FactNameKeys;
  complete(parts: DraftParts): void;
  /** Adds a sentence to the answer, if the fact is stored. */
  warn(warning: string): void;
  /** Refuses this draft alone, as in `RefusableItem`. */
  reject(error: ServiceError, check?: Check): void;
}

/** The drafts of one call, before their transaction. */
export interface DraftBatch {
  readonly items: readonly DraftItem[];
  readonly caller: Principal;
}

/** One fact on its way into the store. */
export interface AppendItem extends AppendSubject {
  readonly fact: PreparedFact;
  /** Computed once for all handlers that group by it. */
  readonly tripleId: string;
  /** True while no earlier phase has given a verdict. Decisions of one phase show in the next one. */
  readonly open: boolean;
  /**
   * Stores a tag in the row of the fact, so that a plugin finds its facts in the ledger. `name` is a lower-case word,
   * such as the plugin's.
   */
  tag(name: string): void;
}

export interface RefusableItem extends AppendItem {
  /** Refuses this fact alone; its neighbours in the transaction are not touched. */
  reject(error: ServiceError, check?: Check): void;
}

export interface SettleableItem extends AppendItem {
  /** Answers with an existing fact instead of storing this one. */
  settle(existing: StoredFact): void;
  /** Shares the outcome of an equal item earlier in the same transaction. */
  follow(earlier: AppendItem): void;
}

/** Facts whose rights are checked, in the transaction that stores them or on a snapshot. */
export interface AuthoriseBatch {
  /** In the order of their arrival. */
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
  /** `tripleId` of the fact. */
  readonly tripleId: string;
  readonly caller: Principal;
  readonly origin: Origin;
  readonly notes: Notes | undefined;
}

/** Facts of one tenant that are about to be stored, with their stamps, in the order of the ledger. */
export interface LinkBatch {
  readonly facts: readonly { readonly fact: StoredFact; readonly salt: Uint8Array }[];
  readonly tenantId: string;
  /** Where the ledger ends before them. */
  readonly head: LedgerHead;
  readonly transaction: PluginTransaction;
}

export interface AppendedBatch {
  readonly facts: readonly AppendedFact[];
  readonly transaction: PluginTransaction;
  readonly nowMs: number;
  /** As in `AppendBatch`: what the triple held before this transaction. */
  siblings(appended: AppendedFact): readonly FactOutline[];
}

/** Facts of one tenant that an import has just stored, still inside its transaction. */
export interface RestoredBatch {
  readonly facts: readonly StoredFact[];
  readonly transaction: PluginTransaction;
}

/** How many siblings are read per triple: bounds the work on a triple that thousands of facts share. */
export const SIBLING_LIMIT = 64;

export type AppendVerdict =
  /** `existing` is true when the fact was stored before, so that nothing was written. */
  | { readonly kind: 'stored'; readonly view: FactView; readonly existing: boolean }
  | { readonly kind: 'rejected'; readonly error: ServiceError };

export interface AppendOptions {
  readonly origin?: Origin;
  /** Returns facts without the marks of plugins, which take time to compute: for callers that do not show them. */
  readonly unmarked?: boolean;
  /**
   * Keeps this call out of a shared transaction, so that the state that `guard` saw still holds when its facts are
   * stored.
   */
  readonly exclusive?: boolean;
  /** Runs inside the transaction before any check; a `ServiceError` rejects all facts of this call. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /** Runs inside the transaction after all follow-ups; a throw rolls the transaction back. */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly AppendVerdict[]): Promise<void>;
}
