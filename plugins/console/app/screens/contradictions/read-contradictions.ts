import type { Conflict, FactClient } from '../../../../../client/client.ts';

export type ConflictStatus = 'unresolved' | 'resolved' | 'all';

export const STATUSES: readonly ConflictStatus[] = ['unresolved', 'resolved', 'all'];

/** Contradictions as far as they were read. */
export interface Contradictions {
  /** What is open longest comes first among the open ones, what was found last among the others. */
  readonly list: readonly Conflict[];
  /** The node has older ones that were not read. */
  readonly hasMore: boolean;
}

const PAGE = 500;

interface Reading {
  readonly status: ConflictStatus;
  readonly pages: number;
  /** Of a page. */
  readonly limit?: number;
  /** Told after each page how many were read. */
  readonly onRead?: (count: number) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads so many pages. The node lists what it found last first, so that what waits longest comes last: the pages are
 * read to their end, as far as `pages` allows, and turned around.
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
