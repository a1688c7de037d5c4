import { column, defineRow, portions, type TripleKey, tripleId } from '../../kernel/internal-api.ts';
import type { Hlc, ReadableTables, WritableTables } from '../../kernel/plugin-api.ts';
import { placeDigest } from './timeline-rows.ts';

export const RECORDS = 'conflicts_records';
export const MEMBERS = 'conflicts_members';

/** A contradiction between facts of one triple in one garden, from detection to resolution. */
export interface ConflictRecord extends TripleKey {
  /** The UUID of the record, without the service's prefix. */
  readonly id: string;
  readonly status: 'unresolved' | 'resolved';
  readonly detectedMs: number;
  /** The id of the fact that resolved the contradiction; null while the record is open, and if a rule closed it. */
  readonly resolvedBy: string | null;
}

const RECORD_ROW = defineRow<ConflictRecord>({
  id: column.text('conflict_id'),
  tenantId: column.text('tenant_id'),
  entityKey: column.text('entity_key'),
  relationKey: column.text('relation_key'),
  scope: column.text('scope'),
  gardenId: column.of(
    'place',
    (place) => (place === '' ? null : String(place)),
    (gardenId) => gardenId ?? '',
  ),
  status: column.of('status', (status) => (status === 'unresolved' ? 'unresolved' : 'resolved')),
  detectedMs: column.number('detected_ms'),
  resolvedBy: column.textOrNull('resolved_by'),
});

export const recordOf = RECORD_ROW.fromRow;

/** Returns the open records of these triples, by `tripleId`. */
export const openRecords = async (
  tables: ReadableTables,
  triples: readonly TripleKey[],
): Promise<Map<string, ConflictRecord>> => {
  if (triples.length === 0) return new Map();
  const rows = await tables.select(RECORDS, {
    tenant_id: [...new Set(triples.map(({ tenantId }) => tenantId))],
    open_triple: [...new Set(triples.map(placeDigest))],
  });
  return new Map(rows.map(recordOf).map((record) => [tripleId(record), record]));
};

export const insertRecords = async (tables: WritableTables, records: readonly ConflictRecord[]): Promise<void> => {
  if (records.length === 0) return;
  await tables.insertRows(
    RECORDS,
    records.map((record) => ({
      ...RECORD_ROW.rowOf(record),
      open_triple: record.status === 'unresolved' ? placeDigest(record) : null,
    })),
  );
};

/**
 * The status of a record whose visible facts never contradicted each other, since a tombstone of a peer hides the
 * others. No list shows it. It is open again when the facts return.
 */
export const WITHDRAWN = 'withdrawn';

export type RecordKey = Pick<ConflictRecord, 'tenantId' | 'id'>;

export interface Membership {
  readonly record: RecordKey;
  readonly fact: { readonly id: string; readonly confidence: number; readonly hlc: Hlc };
}

export const insertMembers = async (tables: WritableTables, members: readonly Membership[]): Promise<void> => {
  if (members.length === 0) return;
  await tables.insertRows(
    MEMBERS,
    members.map(({ record, fact }) => ({
      tenant_id: record.tenantId,
      conflict_id: record.id,
      fact_id: fact.id,
      confidence: fact.confidence,
      hlc_wall: fact.hlc.wallMs,
      hlc_ctr: fact.hlc.counter,
    })),
  );
};

export const closeRecord = async (
  tables: WritableTables,
  { tenantId, id }: RecordKey,
  resolvedBy: string | null,
): Promise<void> => {
  await tables(RECORDS)
    .where({ tenant_id: tenantId, conflict_id: id, status: 'unresolved' })
    .update({ status: 'resolved', resolved_by: resolvedBy, open_triple: null });
};

/** Returns the ids of the given facts that are members of the record. */
export const membersAmong = async (
  tables: ReadableTables,
  { tenantId, id }: RecordKey,
  factIds: readonly string[],
): Promise<string[]> => {
  if (factIds.length === 0) return [];
  const rows = await tables.select(MEMBERS, { tenant_id: tenantId, conflict_id: id, fact_id: [...new Set(factIds)] });
  return rows.map((row) => String(row['fact_id']));
};

/**
 * The number of memberships that one statement looks up. It names them as pairs: of a list of records and a list of
 * facts, the store would look up each record with each fact.
 */
const PAIRS_PER_STATEMENT = 256;

/** Returns those of the memberships, all of one tenant, that are stored. */
export const storedMembers = async (
  tables: ReadableTables,
  members: readonly Membership[],
): Promise<{ readonly conflictId: string; readonly factId: string }[]> => {
  const found: { conflictId: string; factId: string }[] = [];
  for (const some of portions(members, PAIRS_PER_STATEMENT)) {
    const rows: { conflict_id: string; fact_id: string }[] = await tables(MEMBERS)
      .select('conflict_id', 'fact_id')
      .where('tenant_id', (some[0] as Membership).record.tenantId)
      .whereIn(
        ['conflict_id', 'fact_id'],
        some.map(({ record, fact }) => [record.id, fact.id]),
      );
    for (const row of rows) found.push({ conflictId: row.conflict_id, factId: row.fact_id });
  }
  return found;
};
