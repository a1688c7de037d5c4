import type { Conflict, FactClient } from '../../../../../client/client.ts';

export type ConflictStatus = 'unresolved' | 'resolved' | 'all';

export const STATUSES: readonly ConflictStatus[] = ['unresolved', 'resolved', 'all'];

/** The contradictions read so far. */
export interface Contradictions {
  /** Open ones are listed oldest first, others newest first. */
  readonly list: readonly Conflict[];
  /** True if the node has older ones that were not read. */
  readonly hasMore: boolean;
}

const PAGE = 500;

interface Reading {
  readonly status: ConflictStatus;
  readonly pages: number;
  /** Items per page. */
  readonly limit?: number;
  /** Called after each page with the number of items so far. */
  readonly onRead?: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads at most `pages` pages. The node returns the newest first; the list of open ones is reversed, so that the oldest
 * come first.
 */
export const readContradictions = async (
  client: FactClient,
  { status, pages, limit = PAGE, onRead, signal }: Reading,
): Promise<Contradictions> => {
  const list: Conflict[] = [];
  let cursor: string | null | undefined;
  for (let read = 0; read < pages; read += 1) {
    const query = { status, limit, ...(cursor && { cursor }) };
    const page = await client.call('GET /v1/conflicts', { query, signal });
    list.push(...page.conflicts);
    onRead?.(list.length);
    cursor = page.cursor;
    if (cursor === null) break;
  }
  return { list: status === 'unresolved' ? list.reverse() : list, hasMore: typeof cursor === 'string' };
};
