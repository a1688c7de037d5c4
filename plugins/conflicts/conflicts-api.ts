import {
  defineCollectHook,
  defineRef,
  type PluginTransaction,
  type StoredFact,
  type TripleKey,
} from '../../kernel/plugin-api.ts';

/**
 * Note on a draft that resolves a record. Written by the resolve route alone: the fact joins no record, covers the
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
