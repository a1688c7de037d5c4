import type { SuppressibleFact, TripleKey } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  defineCollectHook,
  defineFactMark,
  defineRef,
  type FactDraft,
  type FactOutline,
  type FactView,
  markOf,
  type PluginSnapshot,
  type PluginTransaction,
  type Principal,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { AttestationJson } from '../attestation/attestation-api.ts';
import type { ConflictRecord } from './conflict-record.ts';

export { conflictTable, type ShownConflict } from './commands/shown-conflict.ts';
export type { ConflictRecord } from './conflict-record.ts';

/** A conflict record as one caller sees it, computed only from the facts visible to that caller. */
export interface ConflictView {
  readonly record: ConflictRecord;
  /** The newest visible fact of the conflict. */
  readonly factA: FactView;
  /** The strongest fact with another value than `factA`: highest confidence, then highest stamp. */
  readonly factB: FactView;
  /** The visible facts of the conflict, newest first, up to a maximum number. */
  readonly members: readonly FactOutline[];
  /** True if there are more facts than `members` lists. */
  readonly truncated: boolean;
}

export type ConflictStatus = 'unresolved' | 'resolved' | 'all';

/** The position behind the last record of a page: its time of detection and its id. */
export interface ConflictPosition {
  readonly detectedMs: number;
  readonly id: string;
}

export interface ConflictQuery {
  /**
   * The status of the records to list. By default `unresolved`: open records with two live facts of different values.
   */
  readonly status?: ConflictStatus;
  /** The list starts after this position. */
  readonly after?: ConflictPosition | undefined;
  /** The maximum number of records per page: 1 to 500. */
  readonly limit: number;
}

export interface ConflictPage {
  /** The records, the newest detection first. */
  readonly found: readonly ConflictView[];
  /** True if more records follow. A page may end before its limit if its facts would take too much memory. */
  readonly more: boolean;
}

/** A caller's decision that settles a contradiction: one of its facts, or a value, which takes precedence. */
export interface ConflictDecision {
  readonly winningFactId?: string | null | undefined;
  /** A value in the form of an assertion body: `{ type, v }`. `resolve` validates it. */
  readonly newValue?: unknown;
  /** The reason for the decision; at most 16 KiB. */
  readonly note?: string | undefined;
  /** The caller's signature over the fact that the resolution asserts. */
  readonly attestation?: AttestationJson | null | undefined;
  readonly sessionId?: string | null;
}

/**
 * Lists contradictions and resolves them. A caller sees a record only while they see two facts of it with different
 * values. Each view is computed from those facts. An `id` is the bare UUID, or the identifier with the service's
 * prefix.
 */
export interface Conflicts {
  /** Lists records. Needs `read`. Rejects with `validation` for a limit out of range. */
  list(caller: Principal, query: ConflictQuery): Promise<ConflictPage>;
  /** Returns one record in any status. Needs `read`. Rejects with `lookup` for an unknown record. */
  get(caller: Principal, id: string): Promise<ConflictView>;
  /**
   * Asserts the fact that settles the contradiction, in the caller's name and in the garden of its facts, and closes
   * the record. The new fact supersedes the older facts of the triple. Of several simultaneous calls one succeeds; the
   * others get `already_resolved`. Needs `write`, and all rights for an assertion in that garden. Rejects with `lookup`
   * for a record that the caller cannot see. Rejects with `validation` for a decision without a value, or with a fact
   * that is not part of the conflict. Otherwise rejects as an assertion does.
   */
  resolve(caller: Principal, id: string, decision: ConflictDecision): Promise<FactView>;
}

export const Conflicts = defineRef<Conflicts>('conflicts.conflicts');

/**
 * Maps conflicts to the entities of their facts. A conflict is identified by the match key of the entity that its
 * system facts are about.
 */
export interface ConflictEntities {
  /** Returns the next conflicts about an entity, in any status, in their order. Begins with `from` if it is given. */
  about(
    snapshot: PluginSnapshot,
    tenantId: string,
    entityKey: string,
    page: { readonly from?: string | undefined; readonly limit: number },
  ): Promise<readonly string[]>;
  /** Returns the entities that these conflicts are about. Leaves out unknown conflicts. */
  subjects(
    snapshot: PluginSnapshot,
    tenantId: string,
    conflictKeys: readonly string[],
  ): Promise<ReadonlyMap<string, TripleKey>>;
  /** Returns the ids of the members of these conflicts. Of a conflict with very many, the newest and the strongest. */
  members(
    snapshot: PluginSnapshot,
    tenantId: string,
    conflictKeys: readonly string[],
  ): Promise<ReadonlyMap<string, readonly string[]>>;
}

export const ConflictEntities = defineRef<ConflictEntities>('conflicts.entities');

/** A conflict of which a part has been hidden, as its visible facts make it. */
export interface RevisedConflict {
  /** The match key of the entity that the system facts about the conflict are about. */
  readonly key: string;
  /** When visible facts first contradicted each other, in milliseconds since the epoch; undefined if they never did. */
  readonly sinceMs: number | undefined;
  /** The system facts about the visible facts and their rivals, oldest first. */
  readonly between: readonly FactDraft[];
  /** The system facts about the status, in order. Not to be repeated about a conflict that is told to be resolved. */
  readonly status: readonly FactDraft[];
}

/**
 * Keeps conflicts and winners to what visible facts make of them, after some facts of a place have been hidden or shown
 * again. `rivals:hide` says which are hidden. Every call may be repeated.
 */
export interface ConflictRevisions {
  /**
   * Changes these conflicts: their time, and their status if visible facts settled them. Withdraws those whose visible
   * facts never contradicted each other. Returns the conflicts with hidden facts.
   */
  revise(
    transaction: PluginTransaction,
    tenantId: string,
    conflictKeys: readonly string[],
  ): Promise<readonly RevisedConflict[]>;
  /** Computes the winners again where one of these hidden facts, of one tenant, decides them. */
  hide(transaction: PluginTransaction, facts: readonly FactOutline[]): Promise<void>;
  /** Lets these facts, of one tenant, contradict others again. Returns the triples for `open`. */
  show(transaction: PluginTransaction, facts: readonly FactOutline[]): Promise<readonly TripleKey[]>;
  /** Opens conflicts for contradictions in these triples, in transactions of its own. */
  open(tenantId: string, triples: readonly TripleKey[]): Promise<void>;
}

export const ConflictRevisions = defineRef<ConflictRevisions>('conflicts.revisions');

/**
 * A note on a draft that resolves a record. Only `Conflicts.resolve` writes it. The fact joins no record, supersedes
 * the older facts of its triple in its garden, and closes the named record.
 */
export interface Resolution {
  /** The UUID of the record. */
  readonly conflictId: string;
  /** The resolver's free text; empty without one. */
  readonly note: string;
}

export const Resolution = defineRef<Resolution>('conflicts.resolution');

/** A change of a conflict record, reported inside the transaction that makes it. */
export interface ConflictChange {
  /** The UUID of the record. */
  readonly conflictId: string;
  /** The triple of the contradiction, with its garden. */
  readonly triple: TripleKey;
  /** The stored fact that caused the change: the newest member, or the resolution. */
  readonly fact: StoredFact;
  readonly transaction: PluginTransaction;
  /**
   * Returns the ids of two facts of the conflict with different values. Only callers who may see both may learn of the
   * record. Each call reads the store.
   */
  witnesses(): Promise<readonly string[]>;
}

/** Facts of contested places, and where to look whether they are hidden. */
export interface RivalQuestion {
  readonly facts: readonly SuppressibleFact[];
  readonly snapshot: PluginSnapshot;
}

/**
 * Asks which of these facts are hidden although others of their place are visible. They contradict no others, so that
 * conflicts and winners follow from the visible facts. Handlers return ids.
 */
export const rivalsHidden = defineCollectHook<RivalQuestion, readonly string[]>('rivals:hide');

/** Runs once per record, when two facts contradict each other and the record opens. */
export const conflictOpened = defineCollectHook<ConflictChange, never>('conflict:opened');

/** Runs once per record, when a local or replicated resolution closes it. */
export const conflictResolved = defineCollectHook<ConflictChange, never>('conflict:resolved');

/** The mark of a live fact that contradicts another live fact of its triple and garden which the caller can see. */
export const CONTRADICTED = defineFactMark<true>('conflicts.contradicted', {
  summary: 'a fact beside it says otherwise',
  members: { contradicted: BOOLEAN_JSON },
  toJson: (isSo) => ({ contradicted: isSo === true }),
});

export const isContradicted = (view: FactView): boolean => markOf(view, CONTRADICTED) === true;
