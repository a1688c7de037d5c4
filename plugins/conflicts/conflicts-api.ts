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
  type TripleKey,
} from '../../kernel/plugin-api.ts';
import type { AttestationJson } from '../attestation/attestation-api.ts';
import type { ConflictRecord } from './conflict-record.ts';

export { CONFLICT } from './conflict-json.ts';
export type { ConflictRecord } from './conflict-record.ts';

/** A record as one caller sees it: computed over the members visible to that caller alone. */
export interface ConflictView {
  readonly record: ConflictRecord;
  /** The newest visible member. */
  readonly factA: FactView;
  /** Its strongest rival: another value, highest confidence, then highest stamp. */
  readonly factB: FactView;
  /** Visible members, newest first, as many as are looked at. */
  readonly members: readonly FactOutline[];
  /** There are more members than these. */
  readonly truncated: boolean;
}

export type ConflictStatus = 'unresolved' | 'resolved' | 'all';

/** Where a page ended: detection and id of its last record. */
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
  /** In order of detection, newest first. */
  readonly found: readonly ConflictView[];
  /** Whether records follow. A page may end before its limit, where its facts would take too much memory. */
  readonly more: boolean;
}

/** How a caller wants to settle a contradiction: by a member, or by a value, which takes precedence. */
export interface ConflictDecision {
  readonly winningFactId?: string | null | undefined;
  /** A value as it stands in the body of an assertion: `{ type, v }`. It is checked here. */
  readonly newValue?: unknown;
  /** At most 16 KiB. */
  readonly note?: string | undefined;
  /** The caller's signature over the fact that the resolution asserts. */
  readonly attestation?: AttestationJson | null | undefined;
  readonly sessionId?: string | null;
}

/**
 * Contradictions, and how they end. A record exists for a caller only while the caller can see members with two
 * different values, and everything about it is computed over those members. An `id` is the bare UUID or the identifier
 * with the prefix of the service.
 */
export interface Conflicts {
  /** Needs `read`. Rejects with `validation` for a limit out of bounds. */
  list(caller: Principal, query: ConflictQuery): Promise<ConflictPage>;
  /** One record, whatever its status. Needs `read`. Rejects with `lookup`. */
  get(caller: Principal, id: string): Promise<ConflictView>;
  /**
   * Asserts the fact that settles the contradiction, in the caller's name and in the place of the members, and closes
   * the record; the older facts of the triple are superseded. Of several at once exactly one does, the others get
   * `already_resolved`. Needs `write`, and whatever an assertion in that place needs. Rejects with `lookup` for a
   * record that the caller cannot see, with `validation` for a decision without a value or with a fact that is no
   * visible member, and as an assertion is refused.
   */
  resolve(caller: Principal, id: string, decision: ConflictDecision): Promise<FactView>;
}

export const Conflicts = defineRef<Conflicts>('conflicts.conflicts');

/** Ties conflicts, by the match keys of the entities under which facts tell of them, to what they are about. */
export interface ConflictEntities {
  /** Conflicts about these entities, whatever their status. */
  about(snapshot: PluginSnapshot, tenantId: string, entityKeys: readonly string[]): Promise<readonly string[]>;
  /** What these conflicts are about; those that are unknown are left out. */
  subjects(
    snapshot: PluginSnapshot,
    tenantId: string,
    conflictKeys: readonly string[],
  ): Promise<ReadonlyMap<string, TripleKey>>;
}

export const ConflictEntities = defineRef<ConflictEntities>('conflicts.entities');

/**
 * Note on a draft that resolves a record. Written by `Conflicts.resolve` alone: the fact joins no record, covers the
 * older facts of its triple in its place, and closes the record it names.
 */
export interface Resolution {
  /** UUID of the record. */
  readonly conflictId: string;
  /** Free text of the resolver, empty when there is none. */
  readonly note: string;
}

export const Resolution = defineRef<Resolution>('conflicts.resolution');

/** Something that happened to a record, told inside the transaction in which it did. */
export interface ConflictChange {
  /** UUID of the record. */
  readonly conflictId: string;
  /** What the contradiction is about, and the place it is in. */
  readonly triple: TripleKey;
  /** The fact that brought it about: the newest member, respectively the resolution. It is stored already. */
  readonly fact: StoredFact;
  readonly transaction: PluginTransaction;
  /**
   * Ids of two members that differ in value; asked of the store, so call it only when the answer matters. Callers who
   * may see both may know of the record, and no others.
   */
  witnesses(): Promise<readonly string[]>;
}

/** Two facts contradict each other, and a record was opened. Once per record. */
export const conflictOpened = defineCollectHook<ConflictChange, never>('conflict:opened');

/** A record was closed by a resolution, made here or replicated. Once per record. */
export const conflictResolved = defineCollectHook<ConflictChange, never>('conflict:resolved');

/** The fact is live, and another live fact of its triple and place, visible to the caller, has a different value. */
export const CONTRADICTED = defineFactMark<true>('conflicts.contradicted', {
  summary: 'a fact beside it says otherwise',
  members: { contradicted: BOOLEAN_JSON },
  toJson: (isSo) => ({ contradicted: isSo === true }),
});

/**
 * The fact is live, and a live fact of its triple in another place that the caller reads has a different value. Most
 * facts are in one place alone, so the member is left out unless it is true.
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
