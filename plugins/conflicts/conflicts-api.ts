import { defineRef } from '../../kernel/plugin-api.ts';

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
