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
 * What a refusal is about, in the order in which refusals count: where a fact is refused for several reasons, the
 * caller is told the first of this list. So no verdict depends on the order of plugins.
 */
export const CHECKS = [
  /** What the fact says by itself. */
  'member',
  /** Whom it names as its source. */
  'source',
  'signature',
  'name',
  'scope',
  /** The garden. */
  'place',
  'permission',
  'session',
  /** Another fact that it speaks of. */
  'target',
  'other',
] as const;

export type Check = (typeof CHECKS)[number];

/**
 * What a handler of `append:read` adds to a draft. Each member belongs to one plugin; a second one that sets it fails.
 */
export interface DraftParts {
  readonly gardenId?: string | null;
  readonly attested?: boolean;
  readonly attestedKeyId?: string;
  /** Worked out for the place where the fact will be, which another plugin may still settle. */
  derivedFrom?(place: Pick<TripleKey, 'scope' | 'gardenId'>): readonly string[];
}

/** What every phase sees of a fact. */
interface AppendSubject {
  readonly caller: Principal;
  readonly origin: Origin;
  /** A client wants it stored, so rights are asked for; not the node itself, another fact or a peer. */
  readonly byClient: boolean;
  readonly notes: Notes | undefined;
  /** How violations name the fact: `body`, or `body[3]` in a batch. */
  readonly path: string;
}

/** A draft on its way to becoming a fact. */
export interface DraftItem extends AppendSubject {
  readonly draft: FactDraft;
  /** Match keys of its names, worked out once for everything that follows. */
  readonly keys: FactNameKeys;
  complete(parts: DraftParts): void;
  /** Says something about the draft in the answer to its caller, if the fact is stored: one sentence. */
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
  /** `tripleId` of the fact, worked out once for all who group by it. */
  readonly tripleId: string;
  /** No verdict was found before this phase. What is decided within a phase shows when it is over. */
  readonly open: boolean;
  /**
   * Notes a word in the row of the fact, if it is stored: for a plugin that finds its facts by it in the ledger. `name`
   * is a lower-case word, such as the plugin's.
   */
  tag(name: string): void;
}

export interface RefusableItem extends AppendItem {
  /** Refuses this fact alone; its neighbours in the transaction are not touched. */
  reject(error: ServiceError, check?: Check): void;
}

export interface SettleableItem extends AppendItem {
  /** Answers with a fact that is already stored, in place of storing this one. */
  settle(existing: StoredFact): void;
  /** Shares the outcome of an equal item earlier in the same transaction. */
  follow(earlier: AppendItem): void;
}

/**
 * Facts whose rights are judged: in the transaction that is about to store them, or on a snapshot, to tell a caller.
 */
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
   * Live facts of the item's triple and place that were stored before this transaction, strongest first, at most
   * `SIBLING_LIMIT`. Read once for the whole batch, so a handler never needs a query per fact. Facts accepted earlier
   * in this batch are not among them.
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
  /** `existing` is true when the fact was stored before and nothing was written. */
  | { readonly kind: 'stored'; readonly view: FactView; readonly existing: boolean }
  | { readonly kind: 'rejected'; readonly error: ServiceError };

export interface AppendOptions {
  readonly origin?: Origin;
  /** Returns facts without the marks of plugins, which take time to work out: for callers that show them to nobody. */
  readonly unmarked?: boolean;
  /** Keeps this call out of a shared transaction, so that what `guard` saw still holds when its facts are stored. */
  readonly exclusive?: boolean;
  /** Runs inside the transaction before anything is judged; a ServiceError thrown rejects all facts of this call. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /** Runs inside the transaction after everything that follows from the facts; a throw rolls the transaction back. */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly AppendVerdict[]): Promise<void>;
}
