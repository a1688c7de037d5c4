import {
  defineRef,
  type FactOutline,
  type FactValue,
  type Filter,
  type PreparedFact,
  type Principal,
  type Ref,
  type Scope,
  type ServiceError,
  type StoredFact,
} from '../../ports/ports.ts';
import type { PluginSnapshot, PluginTransaction } from '../store/plugin-transaction.ts';

/** A fact as somebody wants it stored. Text is validated; nothing is derived yet. */
export interface FactDraft {
  readonly entity: string;
  readonly relation: string;
  readonly value: FactValue;
  readonly source: string;
  readonly confidence: number;
  readonly scope: Scope;
  /** RFC 3339, kept as sent. */
  readonly validUntil?: string | null;
  readonly timestamp?: string | null;
  /** Garden identifier (UUID). */
  readonly gardenId?: string | null;
  /** `sha256:<hex>` each. */
  readonly derivedFrom?: readonly string[];
  readonly sessionId?: string | null;
  readonly attested?: boolean | null;
  readonly attestedKeyId?: string | null;
  /** Given only by import and ingest; the node assigns one otherwise. */
  readonly id?: string;
  /** The origin's stamp, verbatim; only on import and ingest. */
  readonly hlcText?: string;
  readonly receivedFrom?: string | null;
  readonly originNodeId?: string | null;
  /** What a plugin's route tells that plugin's own hook handlers about this fact. Never stored. */
  readonly notes?: Notes;
}

export type Notes = ReadonlyMap<Ref<unknown>, unknown>;

/** Reads a note that was written under this key. */
export const noteOf = <T>(notes: Notes | undefined, key: Ref<T>): T | undefined =>
  notes?.get(key as Ref<unknown>) as T | undefined;
export const noted = <T>(key: Ref<T>, value: T): Notes =>
  new Map<Ref<unknown>, unknown>([[key as Ref<unknown>, value]]);

/** `client`: somebody's request; `plugin`: follows from another fact; `peer`: replicated. */
export type Origin = 'client' | 'plugin' | 'peer';

/** One fact on its way into the store, open until it is rejected or settled. */
export interface AppendItem {
  readonly fact: PreparedFact;
  /** `tripleId` of the fact, worked out once for all who group by it. */
  readonly tripleId: string;
  readonly caller: Principal;
  readonly origin: Origin;
  readonly notes: Notes | undefined;
  readonly open: boolean;
  /** Changes what is stored; the cid and the match keys follow from the members that are not listed here. */
  revise(changes: Partial<Pick<PreparedFact, 'tenantId' | 'gardenId' | 'attested' | 'attestedKeyId'>>): void;
  /** Refuses this fact alone; its neighbours in the transaction are not touched. The first verdict stands. */
  reject(error: ServiceError): void;
  /** Answers with a fact that is already stored, in place of storing this one. */
  settle(existing: StoredFact): void;
  /** Shares the outcome of an equal item earlier in the same transaction. */
  follow(earlier: AppendItem): void;
}

/** All facts that one transaction is about to store, in the order of their arrival. */
export interface AppendBatch {
  readonly items: readonly AppendItem[];
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

export interface AppendedBatch {
  readonly facts: readonly AppendedFact[];
  readonly transaction: PluginTransaction;
  readonly nowMs: number;
  /** As in `AppendBatch`: what the triple held before this transaction. */
  siblings(appended: AppendedFact): readonly FactOutline[];
}

/** How many siblings are read per triple: bounds the work on a triple that thousands of facts share. */
export const SIBLING_LIMIT = 64;

/** A fact as one caller sees it. */
export interface FactView {
  readonly fact: StoredFact;
  /** This fact is live and another live fact of its triple and place, visible to the caller, has a different value. */
  readonly contradicted: boolean;
  /** This fact is live, and a live fact of its triple in another place that the caller reads has a different value. */
  readonly differsElsewhere?: boolean;
  readonly warnings: readonly string[];
  /** Trust in the source, [0, 1]; absent while nobody judges sources. */
  readonly sourceTrust?: number;
  /** Slug of the garden that the fact is in; absent outside gardens, and for a garden that is no more. */
  readonly gardenSlug?: string;
  /** Where the fact stands in the quarantine of its garden; absent for a fact that never was in one. */
  readonly quarantine?: 'pending' | 'promoted' | 'rejected';
}

export type AppendVerdict =
  /** `existing` is true when the fact was stored before and nothing was written. */
  | { readonly kind: 'stored'; readonly view: FactView; readonly existing: boolean }
  | { readonly kind: 'rejected'; readonly error: ServiceError };

export interface AppendOptions {
  readonly origin?: Origin;
  /** Keeps this call out of a shared transaction, so that what `guard` saw still holds when its facts are stored. */
  readonly exclusive?: boolean;
  /** Runs inside the transaction before anything is judged; a ServiceError thrown rejects all facts of this call. */
  guard?(transaction: PluginTransaction): Promise<void>;
  /** Runs inside the transaction after everything that follows from the facts; a throw rolls the transaction back. */
  beforeCommit?(transaction: PluginTransaction, verdicts: readonly AppendVerdict[]): Promise<void>;
}

/** Why a read is made: plugins constrain some of them further. */
export type ReadPurpose = 'query' | 'get' | 'provenance' | 'recall' | 'export' | 'deliver';

/**
 * `visible`: everything the caller may see, in any state. `live`: of that, the facts that are neither expired,
 * retracted nor superseded, system facts left out. `current`: what a default query shows.
 */
export type ReadView = 'visible' | 'live' | 'current';

export interface ReadContext {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  readonly nowMs: number;
  readonly purpose: ReadPurpose;
  readonly view: ReadView;
  /** Gardens the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /** What the read is about, where it is known: lets a plugin do no more work than the read needs. */
  readonly about: { readonly entityKey?: string; readonly relationKey?: string; readonly scope?: Scope };
  readonly include: { readonly contradicted: boolean; readonly expired: boolean; readonly retracted: boolean };
  /**
   * The `live` view of the same caller as a filter, for a handler that judges whole triples. Not for use while
   * constraining `live` or `visible`.
   */
  live(): Promise<Filter>;
}

export interface FactSearch {
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  readonly source?: string | undefined;
  readonly scope?: Scope | undefined;
  /** Identifier of a garden: facts of that garden alone. */
  readonly gardenId?: string | undefined;
  readonly minConfidence?: number | undefined;
  /** Facts with this mark of source attestation alone; those without any are left out either way. */
  readonly attested?: boolean | undefined;
  /** Facts of a session, and of one who asserted them where `assertedBy` is given. */
  readonly session?: { readonly id: string; readonly assertedBy?: string } | undefined;
  readonly includeContradicted?: boolean | undefined;
  readonly includeExpired?: boolean | undefined;
  readonly includeRetracted?: boolean | undefined;
  /** Strictly later, by timestamp (milliseconds) or by stamp. */
  readonly after?: Filter | undefined;
  readonly position?: { readonly timestampMs: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface FactPage {
  /** Fewer than the limit where their values come to what the body of a list has room for. */
  readonly facts: readonly FactView[];
  /** Visible matches over all pages. */
  readonly total: number;
  readonly next: { readonly timestampMs: number; readonly id: string } | null;
}

/** Reads on behalf of one caller, all from one consistent snapshot. */
export interface FactReader {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  readonly nowMs: number;
  /** Newest timestamp first. */
  query(search: FactSearch): Promise<FactPage>;
  /** In any state; undefined for an unknown id and one that the caller may not see alike. */
  get(id: string): Promise<FactView | undefined>;
  /** The newest visible fact with this content identifier. */
  newestByCid(cid: string): Promise<FactView | undefined>;
  /** Facts among these ids that the caller may see, in any state and no particular order. */
  visible(ids: readonly string[]): Promise<StoredFact[]>;
  /** Facts that satisfy the filter and a view of the caller. */
  find(
    filter: Filter,
    options: { view: ReadView; order: 'timestamp' | 'hlc' | 'feed'; limit: number },
  ): Promise<StoredFact[]>;
  /** The caller's view as a filter, for a read that a plugin makes itself. */
  constraint(view: ReadView, about?: ReadContext['about']): Promise<Filter>;
  /** Gardens the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /** Adds what plugins know about facts the caller may see. */
  annotate(facts: readonly StoredFact[]): Promise<FactView[]>;
}

/** The facts of the node. Every call is made on behalf of somebody. */
export interface Facts {
  /**
   * Stores one fact and everything that follows from it in one transaction, and answers after the commit. Rejects with
   * the ServiceError of its verdict. Not idempotent by itself; see the `facts` plugin for duplicates and idempotency
   * keys.
   */
  append(draft: FactDraft, caller: Principal, options?: AppendOptions): Promise<{ view: FactView; existing: boolean }>;
  /** The same for several facts in one transaction, judged in order, each with its own verdict. */
  appendAll(
    drafts: readonly FactDraft[],
    caller: Principal,
    options?: AppendOptions,
  ): Promise<readonly AppendVerdict[]>;
  /** Runs reads on one snapshot. */
  read<T>(caller: Principal, purpose: ReadPurpose, work: (reader: FactReader) => Promise<T>): Promise<T>;
  /**
   * The same on a snapshot, or inside a write transaction, that somebody else opened: for whoever has to judge several
   * callers, or rights of their own, on one state. The reader ends with the snapshot.
   */
  readIn<T>(
    snapshot: PluginSnapshot,
    caller: Principal,
    purpose: ReadPurpose,
    work: (reader: FactReader) => Promise<T>,
  ): Promise<T>;
  /** Judges one fact for one caller without the query compiler: visible, in any state. */
  isVisible(fact: StoredFact, reader: FactReader): Promise<boolean>;
}

export const Facts = defineRef<Facts>('kernel.facts');

/** A garden as it stands for one caller. */
export interface EnteredGarden {
  /** UUID. */
  readonly id: string;
  readonly scope: Scope;
  /** Whether the caller may write facts into it. A garden that was deleted takes none, from nobody. */
  readonly mayWrite: boolean;
}

/**
 * Which gardens a caller may enter. While no plugin provides it, every fact that carries a garden is hidden from
 * everybody, so that switching gardens off never publishes what they guarded. Nothing is cached: what the snapshot
 * holds is what counts.
 */
export interface GardenAccess {
  /** Gardens whose facts the caller may read, by UUID; `all` also stands for gardens that are no more. */
  readable(caller: Principal, snapshot: PluginSnapshot): Promise<'all' | readonly string[]>;
  /**
   * The garden that the caller names by URI, UUID or slug; undefined for one that does not exist and one that the
   * caller may not enter alike.
   */
  enter(name: string, caller: Principal, snapshot: PluginSnapshot): Promise<EnteredGarden | undefined>;
  /** Those of the gardens, by UUID, whose administration is the caller's. */
  administered(gardenIds: readonly string[], caller: Principal, snapshot: PluginSnapshot): Promise<readonly string[]>;
}

export const GardenAccess = defineRef<GardenAccess>('kernel.garden-access');
