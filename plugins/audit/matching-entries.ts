import type { AuditFilter, EntryPosition, RecordedEntry } from './audit-api.ts';

/** A filter that is restricted to the entries which the caller may read. */
export interface StoredFilter extends AuditFilter {
  readonly tenantId: string;
  /** Selects only entries of this entity, even if `entityUri` names another. */
  readonly ownedBy?: string | undefined;
}

/** The entries of one snapshot that satisfy a filter. */
export interface MatchingEntries {
  /** Returns entries with numbers above `afterSeq`, ascending. */
  inOrder(afterSeq: number, limit: number): Promise<RecordedEntry[]>;
  /** Returns entries after the position, by time and id, both descending. */
  newestFirst(after: EntryPosition | undefined, limit: number): Promise<RecordedEntry[]>;
  count(): Promise<number>;
}

/** Merges the entries of all parts into one order. Reads the parts one after another. */
export const mergeEntries = (parts: readonly MatchingEntries[]): MatchingEntries => {
  const merge = async (
    read: (part: MatchingEntries) => Promise<RecordedEntry[]>,
    compare: (a: RecordedEntry, b: RecordedEntry) => number,
    limit: number,
  ): Promise<RecordedEntry[]> => {
    const found: RecordedEntry[] = [];
    for (const part of parts) found.push(...(await read(part)));
    return (parts.length > 1 ? found.sort(compare) : found).slice(0, limit);
  };
  return {
    inOrder: (afterSeq, limit) => merge((part) => part.inOrder(afterSeq, limit), bySeq, limit),
    newestFirst: (after, limit) => merge((part) => part.newestFirst(after, limit), byTime, limit),
    async count() {
      let total = 0;
      for (const part of parts) total += await part.count();
      return total;
    },
  };
};

const bySeq = (a: RecordedEntry, b: RecordedEntry): number => a.seq - b.seq;

const byTime = (a: RecordedEntry, b: RecordedEntry): number => b.tsMs - a.tsMs || (a.id < b.id ? 1 : -1);
