import { tripleId } from '../../kernel/internal-api.ts';
import {
  all,
  type Clock,
  equals,
  isIn,
  type PluginTables,
  type ReadableTables,
  SCOPES,
  ServiceError,
  type SqlValue,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { TransferLine, TransferSection } from '../transfer/transfer-api.ts';
import {
  type ConflictRecord,
  closeRecord,
  insertMembers,
  insertRecords,
  MEMBERS,
  membersAmong,
  openRecords,
  RECORDS,
  recordOf,
} from './conflict-record.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { judgeAnew } from './judge-anew.ts';

const RECORDS_PER_PAGE = 200;
/** The maximum number of facts per line, so that the length of a line has a limit. */
const MEMBERS_PER_LINE = 1_000;

/**
 * Exports and imports records with their facts, because they hold data that no fact contains, such as the time of
 * detection.
 */
export const transferConflicts = (tables: PluginTables, clock: Clock, hiddenRivals: HiddenRivals): TransferSection => ({
  type: 'conflict',
  async *pages(snapshot, tenantId) {
    // A triple has one open record, so an importing store must close an earlier one before it opens the next.
    for (const status of ['resolved', 'unresolved']) yield* linesOf(tables.in(snapshot), tenantId, status);
  },
  async take(transaction, tenantId, line) {
    const { record, factIds } = readConflict(line, tenantId);
    const within = tables.in(transaction);
    const { id, changed, isSettled } = await takeRecord(within, record);
    const here = new Set(await membersAmong(within, { id, tenantId }, factIds));
    const absent = factIds.filter((factId) => !here.has(factId));
    const missing = await transaction.outline(all(equals('tenantId', tenantId), isIn('id', absent)));
    // An older version may have exported facts of several gardens. A record holds only facts of its own garden.
    const own = missing.filter((fact) => tripleId(fact) === tripleId(record));
    await insertMembers(
      within,
      own.map((fact) => ({ record: { id, tenantId }, fact })),
    );
    // An import calls no append hooks, and the file may also have ended facts of a known record.
    if (!isSettled) await judgeAnew([record], within, transaction, { nowMs: clock.nowMs(), hiddenRivals });
    return changed || own.length > 0;
  },
});

async function* linesOf(own: ReadableTables, tenantId: string, status: string): AsyncGenerator<TransferLine[]> {
  for (let after = ''; ; ) {
    const rows: Record<string, SqlValue>[] = await own(RECORDS)
      .where({ tenant_id: tenantId, status })
      .where('conflict_id', '>', after)
      .orderBy('conflict_id')
      .limit(RECORDS_PER_PAGE);
    for (const row of rows) {
      const members: Record<string, SqlValue>[] = await own.select(MEMBERS, {
        tenant_id: tenantId,
        conflict_id: row['conflict_id'] ?? '',
      });
      yield conflictLines(row, members.map((member) => String(member['fact_id'])).sort());
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < RECORDS_PER_PAGE) return;
    after = String(last['conflict_id']);
  }
}

const conflictLines = (row: Readonly<Record<string, SqlValue>>, factIds: readonly string[]): TransferLine[] => {
  const record = recordOf(row);
  const lines: TransferLine[] = [];
  for (let from = 0; from === 0 || from < factIds.length; from += MEMBERS_PER_LINE) {
    lines.push({
      id: record.id,
      entity_key: record.entityKey,
      relation_key: record.relationKey,
      scope: record.scope,
      garden_id: record.gardenId,
      status: record.status,
      detected_ms: record.detectedMs,
      resolved_by: record.resolvedBy,
      fact_ids: factIds.slice(from, from + MEMBERS_PER_LINE),
    });
  }
  return lines;
};

const readConflict = (
  line: TransferLine,
  tenantId: string,
): { readonly record: ConflictRecord; readonly factIds: readonly string[] } => {
  const text = (name: string): string => {
    const value = line[name];
    if (typeof value !== 'string' || value === '') throw broken(name);
    return value;
  };
  const { status, scope: sentScope, detected_ms: detectedMs, fact_ids: factIds } = line;
  const scope = SCOPES.find((known) => known === sentScope);
  if (scope === undefined) throw broken('scope');
  if (status !== 'resolved' && status !== 'unresolved') throw broken('status');
  if (typeof detectedMs !== 'number' || !Number.isSafeInteger(detectedMs)) throw broken('detected_ms');
  if (!Array.isArray(factIds) || !factIds.every((id) => typeof id === 'string')) throw broken('fact_ids');
  const record: ConflictRecord = {
    id: text('id'),
    tenantId,
    entityKey: text('entity_key'),
    relationKey: text('relation_key'),
    scope,
    gardenId: gardenOf(line),
    status,
    detectedMs,
    // A rule about the relation closes a record without a fact.
    resolvedBy: status === 'resolved' && line['resolved_by'] !== null ? text('resolved_by') : null,
  };
  return { record, factIds: [...new Set(factIds as string[])] };
};

/** Returns the garden of a record. Older versions wrote a list, because a record could span several gardens. */
const gardenOf = ({ garden_id: gardenId = null, gardens }: TransferLine): string | null => {
  if (Array.isArray(gardens)) {
    if (gardens.length > 1) {
      throw new ServiceError('validation', 'the record joins several gardens, which none does any more');
    }
    return gardenOf({ garden_id: gardens[0] ?? null });
  }
  if (gardenId !== null && (typeof gardenId !== 'string' || gardenId === '')) throw broken('garden_id');
  return gardenId;
};

interface TakenRecord {
  readonly id: string;
  readonly changed: boolean;
  /** True if the record was settled before, so the facts of the line change no winner. */
  readonly isSettled: boolean;
}

/**
 * Creates the record unless it exists. A triple has one open record per garden, so the facts join the one that this
 * store has opened itself.
 */
const takeRecord = async (tables: WritableTables, record: ConflictRecord): Promise<TakenRecord> => {
  const [row] = await tables.select(RECORDS, { tenant_id: record.tenantId, conflict_id: record.id });
  if (row !== undefined) {
    const known = recordOf(row);
    if (tripleId(known) !== tripleId(record)) throw broken('id');
    const isSettled = known.status === 'resolved';
    const changed = !isSettled && record.status === 'resolved';
    if (changed) await closeRecord(tables, record, record.resolvedBy);
    return { id: record.id, changed, isSettled };
  }
  const own = record.status === 'unresolved' ? (await openRecords(tables, [record])).get(tripleId(record)) : undefined;
  if (own === undefined) await insertRecords(tables, [record]);
  return { id: own?.id ?? record.id, changed: own === undefined, isSettled: false };
};

const broken = (name: string): ServiceError =>
  new ServiceError('validation', `${name} is missing or not what an export holds there`);
