import {
  defineCollectHook,
  defineRef,
  type StoredFact,
  type TripleKey,
  type WriteTransaction,
} from '../../kernel/plugin-api.ts';

/**
 * Note on a draft that resolves a record. Written by the resolve route alone: the fact joins no record, covers the older facts of its
 * triple and closes the one it names.
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
  readonly triple: TripleKey;
  /** The fact that brought it about: the newest member, respectively the resolution. It is stored already. */
  readonly fact: StoredFact;
  readonly transaction: WriteTransaction;
  /**
   * Ids of the members before and after the change, in no order; asked of the store, so call it only when the answer matters. `gardens`
   * are those that the viewer reads: none but who reads all gardens of the record is told of members. Whoever may see
   * two that differ in value may know of the record, and nobody else.
   */
  members(
    gardens: 'all' | readonly string[],
  ): Promise<{ readonly before: readonly string[]; readonly after: readonly string[] }>;
}

/**
 * A fact has opened a record, or joined one; of one that was just opened there were no members before. A record opens for a viewer with the
 * change after which two differing members can be seen, and could not before it: that happens once for each, whoever else saw them earlier.
 */
export const conflictOpened = defineCollectHook<ConflictChange, never>('conflict:opened');

/** A record was closed by a resolution, made here or replicated. Once per record. */
export const conflictResolved = defineCollectHook<ConflictChange, never>('conflict:resolved');
