import { defineCollectHook, defineRef, type Hlc, type Notes, type PluginTransaction } from '../../kernel/plugin-api.ts';

/** Reads the moment in a request. For routes and tools with their own place for `as_of`. */
export interface Moments {
  /**
   * Returns the notes of a read as of this text, an RFC 3339 date-time or an hlc: `Facts.read(caller, purpose, work,
   * moments.asOf(text, 'body.as_of'))`. `path` names the member in a refusal. Throws `as_of_invalid_timestamp`. The
   * read itself refuses a future moment (`as_of_future`) and one before the oldest stored past (`as_of_before_floor`).
   */
  asOf(text: string, path: string): Notes;
}

export const Moments = defineRef<Moments>('time-travel.moments');

/** Rows of a tenant that no permitted read needs any more. */
export interface PastPiece {
  readonly tenantId: string;
  /** Versions replaced at or before this stamp can no longer be read. */
  readonly before: Hlc;
  /** Approximate number of rows that one call deletes. */
  readonly limit: number;
  readonly transaction: PluginTransaction;
}

/**
 * Deletes rows of a plugin that only reads before the floor need, and returns their number. Called again until all
 * handlers return 0.
 */
export const pastDrop = defineCollectHook<PastPiece, number>('past:drop');
