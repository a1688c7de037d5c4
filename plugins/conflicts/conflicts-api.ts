import type { TripleKey } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  defineCollectHook,
  defineFactMark,
  defineRef,
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

export { CONFLICT } from './conflict-json.ts';
export type { ConflictRecord } from './conflict-record.ts';

/** A record as one caller sees it, computed only from the members visible to that caller. */
export interface ConflictView {
  readonly record: ConflictRecord;
  /** The newest visible member. */
  readonly factA: FactView;
  /** Its strongest rival: another value, highest confidence, then highest stamp. */
  readonly factB: FactView;
  /** Visible members, newest first, within a bound. */
  readonly members: readonly FactOutline[];
  /** True if there are more members. */
  readonly truncated: boolean;
}

export type ConflictStatus = 'unresolved' | 'resolved' | 'all';

/** The last record of a page: its detection and id. */
export interface ConflictPosition {
  readonly detectedMs: number;
  readonly id: string;
}

export interface ConflictQuery {
  /** `unresolved` by default: open records that still have two differing live values. */
  readonly status?: ConflictStatus;
  /** Starts behind this position. */
  readonly after?: ConflictPosition | undefined;
  /** 1 to 500. */
  readonly limit: number;
}

export interface ConflictPage {
  /** Newest detection first. */
  readonly found: readonly ConflictView[];
  /** True if more records follow. A page may end before its limit if its facts would take too much memory. */
  readonly more: boolean;
}

/** The decision of a caller that settles a contradiction: a member, or a value, which takes precedence. */
export interface ConflictDecision {
  readonly winningFactId?: string | null | undefined;
  /** A value in the form of an assertion body: `{ type, v }`. `resolve` checks it. */
  readonly newValue?: unknown;
  /** At most 16 KiB. */
  readonly note?: string | undefined;
  /** The caller's signature over the fact that the resolution asserts. */
  readonly attestation?: AttestationJson | null | undefined;
  readonly sessionId?: string | null;
}

/**
 * Contradictions and their resolution. A record exists for a caller only while the caller can see members with two
 * different values, and every view of it is computed from those members. An `id` is the bare UUID, or the identifier
 * with the service's prefix.
 */
export interface Conflicts {
  /** Needs `read`. Rejects with `validation` for a limit out of bounds. */
  list(caller: Principal, query: ConflictQuery): Promise<ConflictPage>;
  /** Returns one record in any status. Needs `read`. Rejects with `lookup`. */
  get(caller: Principal, id: string): Promise<ConflictView>;
  /**
   * Asserts the fact that settles the contradiction, in the caller's name and in the place of the members, and closes
   * the record. Supersedes the older facts of the triple. Of several simultaneous calls one succeeds; the others get
   * `already_resolved`. Needs `write`, and all rights for an assertion in that place. Rejects with `lookup` for a
   * record that the caller cannot see, and with `validation` for a decision without a value or with a fact that is no
   * visible member. Otherwise rejects as an assertion does.
   */
  resolve(caller: Principal, id: string, decision: ConflictDecision): Promise<FactView>;
}

export const Conflicts = defineRef<Conflicts>('conflicts.conflicts');

/**
 * Maps conflicts to the entities that they are about. Conflicts are named by the match keys of the entities of their
 * system facts.
 */
export interface ConflictEntities {
  /** Conflicts about these entities, in any status. */
  about(snapshot: PluginSnapshot, tenantId: string, entityKeys: readonly string[]): Promise<readonly string[]>;
  /** The entities that these conflicts are about. Unknown conflicts are left out. */
  subjects(
    snapshot: PluginSnapshot,
    tenantId: string,
    conflictKeys: readonly string[],
  ): Promise<ReadonlyMap<string, TripleKey>>;
}

export const ConflictEntities = defineRef<ConflictEntities>('conflicts.entities');

/**
 * Note on a draft that resolves a record. Only `Conflicts.resolve` writes it. The fact joins no record, covers the
 * older facts of its triple in its place, and closes the named record.
 */
export interface Resolution {
  /** UUID of the record. */
  readonly conflictId: string;
  /** Free text of the resolver, empty when there is none. */
  readonly note: string;
}

export const Resolution = defineRef<Resolution>('conflicts.resolution');

/** A change of a record, reported inside the transaction that makes it. */
export interface ConflictChange {
  /** UUID of the record. */
  readonly conflictId: string;
  /** The triple of the contradiction, with its place. */
  readonly triple: TripleKey;
  /** The stored fact that caused the change: the newest member, or the resolution. */
  readonly fact: StoredFact;
  readonly transaction: PluginTransaction;
  /**
   * Ids of two members with different values. Only callers who may see both may learn of the record. Each call reads
   * the store.
   */
  witnesses(): Promise<readonly string[]>;
}

/** Runs once per record, when two facts contradict each other and the record opens. */
export const conflictOpened = defineCollectHook<ConflictChange, never>('conflict:opened');

/** Runs once per record, when a local or replicated resolution closes it. */
export const conflictResolved = defineCollectHook<ConflictChange, never>('conflict:resolved');

/** Set on a live fact if another live fact of its triple and place, visible to the caller, has a different value. */
export const CONTRADICTED = defineFactMark<true>('conflicts.contradicted', {
  summary: 'a fact beside it says otherwise',
  members: { contradicted: BOOLEAN_JSON },
  toJson: (isSo) => ({ contradicted: isSo === true }),
});

/**
 * Set on a live fact if a live fact of its triple in another place, visible to the caller, has a different value. Most
 * facts lie in one place, so the member is absent unless true.
 */
export const DIFFERS_ELSEWHERE = defineFactMark<true>('conflicts.elsewhere', {
  summary: 'a fact in another place says otherwise',
  members: { differs_elsewhere: { type: 'boolean', const: true } },
  optional: ['differs_elsewhere'],
  toJson: (isSo) => (isSo === true ? SAYS_SO : SAYS_NOTHING),
});

const SAYS_SO = Object.freeze({ differs_elsewhere: true });
const SAYS_NOTHING = Object.freeze({});

export const isContradicted = (view: FactView): boolean => markOf(view, CONTRADICTED) === true;
