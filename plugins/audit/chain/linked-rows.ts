import type { ChainLink } from '../../../kernel/internal-api.ts';
import type { ReadableTables, SqlValue } from '../../../kernel/plugin-api.ts';
import type { RecordedEntry } from '../audit-api.ts';
import { ENTRIES_TABLE, entryFromRow, linkFromRow } from '../entry-rows.ts';

/** An entry that has a row, and its stored link. */
export interface LinkedEntry {
  readonly entry: RecordedEntry;
  readonly link: ChainLink;
}

type Builder = (table: string) => ReturnType<ReadableTables>;

/** Returns entries with rows after the number `above`, in order. */
export const linkedEntries = async (
  tables: Builder,
  tenantId: string,
  { above, limit }: { readonly above: number; readonly limit: number },
): Promise<LinkedEntry[]> => {
  const query = tables(ENTRIES_TABLE).where('tenant_id', tenantId).where('seq', '>', above).orderBy('seq').limit(limit);
  const rows = (await query) as Record<string, SqlValue>[];
  return rows.map((row) => ({ entry: entryFromRow(row), link: linkFromRow(row) }));
};
