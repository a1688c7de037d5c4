import type { FeedEntry, Hlc } from '../../ports/ports.ts';

/** At most `limit` entries of one tenant strictly after a stamp. */
export interface FeedPart {
  readonly tenantId: string;
  readonly after: Hlc;
  readonly limit: number;
}

/**
 * Returns the first `limit` entries after the stamp from the feeds of these tenants, in order. It first reads a share
 * of the page from each feed, and twice as much from each feed that runs out. For any number of tenants it thus reads
 * about two pages.
 */
export const mergeFeeds = async (
  tenantIds: readonly string[],
  { after, limit }: Omit<FeedPart, 'tenantId'>,
  read: (parts: readonly FeedPart[]) => Promise<readonly (readonly FeedEntry[])[]>,
): Promise<FeedEntry[]> => {
  const found: FeedEntry[] = [];
  const share = Math.min(limit, Math.ceil((2 * limit) / tenantIds.length));
  let parts = tenantIds.map((tenantId): FeedPart => ({ tenantId, after, limit: share }));
  const rest = new Map<string, FeedPart>();
  while (parts.length > 0) {
    const entries = await read(parts);
    for (const [at, part] of parts.entries()) {
      const last = nextPart(part, entries[at] ?? [], limit);
      if (last === undefined) rest.delete(part.tenantId);
      else rest.set(part.tenantId, last);
    }
    found.push(...entries.flat());
    if (tenantIds.length > 1) found.sort((one, other) => inOrder(one.stamp, other.stamp));
    const end = found[limit - 1]?.stamp;
    parts = [...rest.values()].filter((part) => end === undefined || inOrder(part.after, end) < 0);
  }
  return found.slice(0, limit);
};

/** Returns the next part of a feed to read; undefined at the end of the feed. */
const nextPart = ({ tenantId, limit }: FeedPart, entries: readonly FeedEntry[], most: number): FeedPart | undefined => {
  const last = entries.at(-1);
  if (last === undefined || entries.length < limit) return undefined;
  return { tenantId, after: last.stamp, limit: Math.min(most, 2 * limit) };
};

export const inOrder = (one: Hlc, other: Hlc): number => one.wallMs - other.wallMs || one.counter - other.counter;
