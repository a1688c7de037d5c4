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

/** The number of the newest ones that a mark names. */
const MARKED = 50;

/** The mark of a list: it changes when a contradiction comes, ends, or gets another rival. */
export const markOf = (status: ConflictStatus, list: readonly Conflict[]): string => {
  const newest = status === 'unresolved' ? list.slice(-MARKED).reverse() : list.slice(0, MARKED);
  return newest.map(({ conflict_id: id, status: state, members }) => `${id} ${state} ${members.length}`).join();
};

/** Asks for the mark of the contradictions. */
export const probeContradictions = async (
  client: FactClient,
  status: ConflictStatus,
  signal: AbortSignal,
): Promise<string> => {
  const { list } = await readContradictions(client, { status, pages: 1, limit: MARKED, signal });
  return markOf(status, list);
};
