import {
  all,
  equals,
  type FactOutline,
  isIn,
  type PluginSnapshot,
  type ReadableTables,
} from '../../kernel/plugin-api.ts';
import { MEMBERS, type RecordKey } from './conflict-record.ts';
import type { HiddenRivals } from './hidden-rivals.ts';

/** The maximum number of facts of a record that are read, newest first. Only triples with very many facts exceed it. */
export const MOST_MEMBERS = 1_000;

/** The number of facts that are read in order of strength, to find a strong one beyond the newest facts. */
const STRONGEST = 64;

type Order = 'newest' | 'strongest';

const COLUMNS: Readonly<Record<Order, readonly string[]>> = {
  newest: ['hlc_wall', 'hlc_ctr', 'confidence'],
  strongest: ['confidence', 'hlc_wall', 'hlc_ctr'],
};

/** Returns the ids of the first facts of a record in this order; of exact ties, the lower id first. */
export const someMembers = async (
  tables: ReadableTables,
  { tenantId, id }: RecordKey,
  order: Order,
  limit: number,
): Promise<string[]> => {
  const rows: { fact_id: string }[] = await tables(MEMBERS)
    .select('fact_id')
    .where({ tenant_id: tenantId, conflict_id: id })
    .orderBy([...COLUMNS[order].map((column) => ({ column, order: 'desc' as const })), { column: 'fact_id' }])
    .limit(limit);
  return rows.map(({ fact_id: id }) => id);
};

export interface KnownMembers {
  readonly ids: readonly string[];
  /** True if the record has more facts than were read. */
  readonly truncated: boolean;
}

/**
 * Returns all facts of these records of one tenant, by record. Of a large record, returns its newest and its strongest
 * facts.
 */
export const membersOf = async (
  tables: ReadableTables,
  records: readonly RecordKey[],
): Promise<Map<string, KnownMembers>> => {
  const [first] = records;
  if (first === undefined) return new Map();
  const found = new Map<string, string[]>(records.map(({ id }) => [id, []]));
  const limit = Math.max(MOST_MEMBERS, records.length * USUAL_MEMBERS);
  const rows: { conflict_id: string; fact_id: string }[] = await tables(MEMBERS)
    .select('conflict_id', 'fact_id')
    .where('tenant_id', first.tenantId)
    .whereIn('conflict_id', [...found.keys()])
    .limit(limit + 1);
  if (rows.length <= limit) {
    for (const row of rows) found.get(row.conflict_id)?.push(row.fact_id);
    return new Map([...found].map(([id, own]) => [id, { ids: own, truncated: false }]));
  }
  const known = new Map<string, KnownMembers>();
  for (const record of records) known.set(record.id, await firstOf(tables, record));
  return known;
};

/** The average number of facts per record above which each record of a page is read separately. */
const USUAL_MEMBERS = 20;

const firstOf = async (tables: ReadableTables, record: RecordKey): Promise<KnownMembers> => {
  const newest = await someMembers(tables, record, 'newest', MOST_MEMBERS + 1);
  if (newest.length <= MOST_MEMBERS) return { ids: newest, truncated: false };
  const strongest = await someMembers(tables, record, 'strongest', STRONGEST);
  return { ids: [...new Set([...newest.slice(0, MOST_MEMBERS), ...strongest])], truncated: true };
};

/** Returns two visible facts of the record with different values, if the first few include such a pair. */
export const differingMembers = async (
  snapshot: PluginSnapshot,
  tables: ReadableTables,
  record: RecordKey,
  hiddenRivals: HiddenRivals,
): Promise<readonly string[]> => {
  const { ids } = await firstOf(tables, record);
  const outlines = await snapshot.outline(all(equals('tenantId', record.tenantId), isIn('id', ids)));
  const hidden = await hiddenRivals(outlines, snapshot);
  return twoThatDiffer(outlines.filter(({ id }) => !hidden.has(id))) ?? [];
};

export const twoThatDiffer = (
  facts: readonly Pick<FactOutline, 'id' | 'valueKey'>[],
): readonly [string, string] | undefined => {
  const [first] = facts;
  const other = facts.find(({ valueKey }) => valueKey !== first?.valueKey);
  return first === undefined || other === undefined ? undefined : [first.id, other.id];
};
