import {
  type PluginTables,
  SCOPES,
  ServiceError,
  type SqlValue,
  type TransferLine,
  type TransferSection,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import {
  type ConflictRecord,
  closeRecord,
  insertMembers,
  insertRecords,
  MEMBERS,
  openRecords,
  RECORDS,
  recordOf,
} from './conflict-record.ts';

const RECORDS_PER_PAGE = 200;
/** A record with more members takes several lines, so that no line grows without bound. */
const MEMBERS_PER_LINE = 1_000;

/** Records and their members on their way from one store to another: they hold what no fact says, the time of detection for one. */
export const transferConflicts = (tables: PluginTables): TransferSection => ({
  type: 'conflict',
  async *pages(snapshot, tenantId) {
    const within = tables.in(snapshot);
    for (let after = ''; ; ) {
      const rows: Record<string, SqlValue>[] = await within(RECORDS)
        .where('tenant_id', tenantId)
        .where('conflict_id', '>', after)
        .orderBy('conflict_id')
        .limit(RECORDS_PER_PAGE);
      for (const row of rows) {
        const members: Record<string, SqlValue>[] = await within.select(MEMBERS, {
          conflict_id: row['conflict_id'] ?? '',
        });
        yield conflictLines(row, members.map((member) => String(member['fact_id'])).sort());
      }
      const last = rows.at(-1);
      if (last === undefined || rows.length < RECORDS_PER_PAGE) return;
      after = String(last['conflict_id']);
    }
  },
  async take(transaction, tenantId, line) {
    const { record, settled, factIds } = readConflict(line, tenantId);
    const within = tables.in(transaction);
    const { id, changed } = await takeRecord(within, record, settled);
    const known = await within.select(MEMBERS, { conflict_id: id, fact_id: factIds });
    const here = new Set(known.map((row) => String(row['fact_id'])));
    const missing = factIds.filter((factId) => !here.has(factId));
    await insertMembers(
      within,
      missing.map((factId) => ({ conflictId: id, factId })),
    );
    return changed || missing.length > 0;
  },
});

const conflictLines = (row: Readonly<Record<string, SqlValue>>, factIds: readonly string[]): TransferLine[] => {
  const record = recordOf(row);
  const lines: TransferLine[] = [];
  for (let from = 0; from === 0 || from < factIds.length; from += MEMBERS_PER_LINE) {
    lines.push({
      id: record.id,
      entity_key: record.entityKey,
      relation_key: record.relationKey,
      scope: record.scope,
      gardens: record.gardens,
      status: record.status,
      detected_ms: record.detectedMs,
      resolved_by: record.resolvedBy,
      settled: Number(row['settled']) === 1,
      fact_ids: factIds.slice(from, from + MEMBERS_PER_LINE),
    });
  }
  return lines;
};

const readConflict = (line: TransferLine, tenantId: string) => {
  const text = (name: string): string => {
    const value = line[name];
    if (typeof value !== 'string' || value === '') throw broken(name);
    return value;
  };
  const { status, scope: sentScope, detected_ms: detectedMs, settled, fact_ids: factIds } = line;
  const { gardens = [] } = line;
  const scope = SCOPES.find((known) => known === sentScope);
  if (scope === undefined) throw broken('scope');
  if (status !== 'resolved' && status !== 'unresolved') throw broken('status');
  if (typeof detectedMs !== 'number' || !Number.isSafeInteger(detectedMs)) throw broken('detected_ms');
  if (typeof settled !== 'boolean') throw broken('settled');
  if (!Array.isArray(factIds) || !factIds.every((id) => typeof id === 'string')) throw broken('fact_ids');
  if (!Array.isArray(gardens) || !gardens.every((id) => typeof id === 'string' && /^\S+$/.test(id)))
    throw broken('gardens');
  const record: ConflictRecord = {
    id: text('id'),
    tenantId,
    entityKey: text('entity_key'),
    relationKey: text('relation_key'),
    scope,
    gardens: [...new Set(gardens as string[])].sort(),
    status,
    detectedMs,
    resolvedBy: status === 'resolved' ? text('resolved_by') : null,
  };
  return { record, settled, factIds: [...new Set(factIds as string[])] };
};

/** The record is there afterwards; one triple has one open record, so members join the one that this store has opened itself. */
const takeRecord = async (
  tables: WritableTables,
  record: ConflictRecord,
  settled: boolean,
): Promise<{ id: string; changed: boolean }> => {
  const [row] = await tables.select(RECORDS, { conflict_id: record.id });
  if (row !== undefined) {
    const known = recordOf(row);
    if (tripleId(known) !== tripleId(record)) throw broken('id');
    if (known.status === 'resolved' || record.resolvedBy === null) return { id: record.id, changed: false };
    await closeRecord(tables, record.id, record.resolvedBy, settled);
    return { id: record.id, changed: true };
  }
  const isOpen = record.status === 'unresolved';
  const open = isOpen ? ((await openRecords(tables, [record])).get(tripleId(record)) ?? []) : [];
  const own = open.find(({ gardens }) => gardens.join(' ') === record.gardens.join(' '));
  if (own !== undefined) return { id: own.id, changed: false };
  await insertRecords(tables, [record], settled);
  return { id: record.id, changed: true };
};

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
