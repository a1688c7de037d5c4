import {
  type ReadableTables,
  type Scope,
  type SqlValue,
  sha256Hex,
  type TripleKey,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';

export const RECORDS = 'conflicts_records';
export const MEMBERS = 'conflicts_members';

/** One contradiction over one triple, from its detection to its resolution. */
export interface ConflictRecord extends TripleKey {
  /** UUID, without the service's prefix. */
  readonly id: string;
  /**
   * Gardens that the contradiction is between, sorted: none, one, or two. It concerns the facts of these gardens and those outside gardens, and is
   * known to who reads all of these gardens. A triple has at most one open record for each such set, so that nothing about a record depends on
   * facts that one of its viewers cannot see.
   */
  readonly gardens: readonly string[];
  readonly status: 'unresolved' | 'resolved';
  readonly detectedMs: number;
  /** Id of the resolution fact. */
  readonly resolvedBy: string | null;
}

export function recordOf(row: Readonly<Record<string, SqlValue>>): ConflictRecord {
  return {
    id: String(row['conflict_id']),
    tenantId: String(row['tenant_id']),
    entityKey: String(row['entity_key']),
    relationKey: String(row['relation_key']),
    scope: String(row['scope']) as Scope,
    gardens: gardensOf(String(row['gardens'])),
    status: row['status'] === 'resolved' ? 'resolved' : 'unresolved',
    detectedMs: Number(row['detected_ms']),
    resolvedBy: row['resolved_by'] == null ? null : String(row['resolved_by']),
  };
}

/** Identifiers of gardens hold no space. */
const gardensOf = (text: string): string[] => (text === '' ? [] : text.split(' '));

/** Whether somebody who reads these gardens may know of the record. */
export const mayKnow = ({ gardens }: ConflictRecord, readable: 'all' | readonly string[]): boolean =>
  readable === 'all' || gardens.every((id) => readable.includes(id));

/** Whether a fact is among those that the record is about. */
export const concerns = (gardens: readonly string[], { gardenId }: { readonly gardenId: string | null }): boolean =>
  gardenId === null || gardens.includes(gardenId);

/** The open records of these triples, by `tripleId`. */
export async function openRecords(
  tables: ReadableTables,
  triples: readonly TripleKey[],
): Promise<Map<string, ConflictRecord[]>> {
  const found = new Map<string, ConflictRecord[]>();
  const wanted = new Set(triples.map(tripleId));
  for (const tenantId of new Set(triples.map((triple) => triple.tenantId))) {
    const entityKeys = [...new Set(triples.map((triple) => triple.entityKey))];
    const rows = await tables.select(RECORDS, { tenant_id: tenantId, entity_key: entityKeys, status: 'unresolved' });
    for (const record of rows.map(recordOf)) {
      const id = tripleId(record);
      if (wanted.has(id)) found.set(id, [...(found.get(id) ?? []), record]);
    }
  }
  return found;
}

/** Stores records. `settled` says of a closed one that everybody who can see its members can see that it is resolved. */
export async function insertRecords(
  tables: WritableTables,
  records: readonly ConflictRecord[],
  settled = false,
): Promise<void> {
  if (records.length === 0) return;
  await tables.insertRows(
    RECORDS,
    records.map((record) => ({
      conflict_id: record.id,
      tenant_id: record.tenantId,
      entity_key: record.entityKey,
      relation_key: record.relationKey,
      scope: record.scope,
      gardens: record.gardens.join(' '),
      status: record.status,
      detected_ms: record.detectedMs,
      resolved_by: record.resolvedBy,
      open_triple: record.status === 'unresolved' ? openTriple(record) : null,
      settled: settled ? 1 : 0,
    })),
  );
}

const openTriple = (record: ConflictRecord): string => sha256Hex([tripleId(record), ...record.gardens].join(' '));

export interface Membership {
  readonly conflictId: string;
  readonly factId: string;
}

export async function insertMembers(tables: WritableTables, members: readonly Membership[]): Promise<void> {
  if (members.length === 0) return;
  await tables.insertRows(
    MEMBERS,
    members.map(({ conflictId, factId }) => ({ conflict_id: conflictId, fact_id: factId })),
  );
}

/** Closes a record. `everywhere` when the resolution is outside gardens, so that it holds for every viewer. */
export async function closeRecord(
  tables: WritableTables,
  id: string,
  resolvedBy: string,
  everywhere: boolean,
): Promise<void> {
  await tables(RECORDS)
    .where({ conflict_id: id, status: 'unresolved' })
    .update({ status: 'resolved', resolved_by: resolvedBy, open_triple: null, settled: everywhere ? 1 : 0 });
}

/** Member ids of these records, by record id. */
export async function membersOf(tables: ReadableTables, ids: readonly string[]): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>(ids.map((id) => [id, []]));
  if (ids.length === 0) return members;
  for (const row of await tables.select(MEMBERS, { conflict_id: ids })) {
    members.get(String(row['conflict_id']))?.push(String(row['fact_id']));
  }
  return members;
}
