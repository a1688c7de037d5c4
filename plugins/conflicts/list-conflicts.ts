import { all, type FactOutline, type FactReader, isIn, type PluginTables } from '../../kernel/plugin-api.ts';
import { readVisiblePage } from '../facts/facts-api.ts';
import { type ConflictRecord, RECORDS, recordOf } from './conflict-record.ts';
import type { ConflictPage, ConflictPosition, ConflictStatus, ConflictView } from './conflicts-api.ts';
import { MOST_MEMBERS, membersOf } from './record-members.ts';
import { REIGNS } from './standing-rows.ts';
import { compareAge, strongestRival } from './strength.ts';

/** Records in order of detection, newest first, starting after `position`; at most `limit` that the caller can see. */
export const listConflicts = async (
  reader: FactReader,
  tables: PluginTables,
  status: ConflictStatus,
  position: ConflictPosition | undefined,
  limit: number,
): Promise<ConflictPage> => {
  const found: Candidate[] = [];
  let after = position;
  for (;;) {
    const wanted = limit - found.length;
    const records = await readSome(reader, tables, status, after, wanted);
    // A record comes twice where exact ties reign together.
    const distinct = [...new Map(records.map((record) => [record.id, record])).values()];
    found.push(...(await candidatesAmong(reader, tables, distinct)));
    const last = records.at(-1);
    if (last === undefined || records.length < wanted || found.length === limit) return withFacts(reader, found);
    after = { detectedMs: last.detectedMs, id: last.id };
  }
};

/** One record, when the caller can see members with at least two different values, whatever its status. */
export const findConflict = async (
  reader: FactReader,
  tables: PluginTables,
  id: string,
): Promise<ConflictView | undefined> => {
  const [record] = await readSome(reader, tables, 'all', undefined, 1, id);
  if (record === undefined) return undefined;
  return (await withFacts(reader, await candidatesAmong(reader, tables, [record]))).found[0];
};

interface Candidate {
  readonly record: ConflictRecord;
  readonly members: readonly FactOutline[];
  readonly rival: FactOutline;
  readonly truncated: boolean;
}

/** Records of the places that the caller reads. An unresolved one is listed while two of its values are alive. */
const readSome = async (
  { caller, gardens, nowMs, snapshot }: FactReader,
  tables: PluginTables,
  status: ConflictStatus,
  after: ConflictPosition | undefined,
  limit: number,
  id?: string,
): Promise<ConflictRecord[]> => {
  const query = tables
    .in(snapshot)(RECORDS)
    .select(`${RECORDS}.*`)
    .where(own('tenant_id'), caller.tenantId)
    .whereIn(own('scope'), [...caller.allowedScopes])
    .whereIn(own('status'), status === 'all' ? ['unresolved', 'resolved'] : [status])
    .orderBy([
      { column: own('detected_ms'), order: 'desc' },
      { column: own('conflict_id'), order: 'desc' },
    ])
    .limit(limit);
  if (id !== undefined) query.where(own('conflict_id'), id);
  if (gardens !== 'all') query.whereIn(own('place'), ['', ...gardens]);
  if (status === 'unresolved') {
    query
      .join(REIGNS, `${REIGNS}.triple`, own('open_triple'))
      .where(`${REIGNS}.from_ms`, '<=', nowMs)
      .where(`${REIGNS}.until_ms`, '>', nowMs)
      .where(`${REIGNS}.contested_until_ms`, '>', nowMs);
  }
  if (after !== undefined) {
    query.where((older) =>
      older
        .where(own('detected_ms'), '<', after.detectedMs)
        .orWhere((same) => same.where(own('detected_ms'), after.detectedMs).where(own('conflict_id'), '<', after.id)),
    );
  }
  return (await query).map(recordOf);
};

const own = (column: string): string => `${RECORDS}.${column}`;

const candidatesAmong = async (
  reader: FactReader,
  tables: PluginTables,
  records: readonly ConflictRecord[],
): Promise<Candidate[]> => {
  const members = await membersOf(tables.in(reader.snapshot), records);
  const ids = [...members.values()].flatMap((known) => known.ids);
  const visible = new Map((await visibleAmong(reader, ids)).map((outline) => [outline.id, outline]));
  return records.flatMap((record) => {
    const known = members.get(record.id);
    const seen = (known?.ids ?? []).flatMap((id) => visible.get(id) ?? []).sort(compareAge);
    const [newest] = seen;
    const rival = newest === undefined ? undefined : strongestRival(newest, seen);
    if (rival === undefined) return [];
    return [{ record, members: seen.slice(0, MOST_MEMBERS), rival, truncated: known?.truncated === true }];
  });
};

/** Facts in one statement. */
const IDS_PER_STATEMENT = 1_000;

const visibleAmong = async (reader: FactReader, ids: readonly string[]): Promise<FactOutline[]> => {
  const constraint = await reader.constraint('visible');
  const found: FactOutline[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_STATEMENT) {
    const some = isIn('id', ids.slice(at, at + IDS_PER_STATEMENT));
    found.push(...(await reader.snapshot.outline(all(some, constraint))));
  }
  return found;
};

const withFacts = async (reader: FactReader, candidates: readonly Candidate[]): Promise<ConflictPage> => {
  const { facts, beyond } = await readVisiblePage(reader, candidates.flatMap(shownIds), 'newest');
  const byId = new Map((await reader.annotate(facts)).map((view) => [view.fact.id, view]));
  const end = candidates.findIndex((candidate) => shownIds(candidate).some((id) => beyond.has(id)));
  const within = end < 0 ? candidates : candidates.slice(0, end);
  const found = within.flatMap(({ record, members, rival, truncated }): ConflictView[] => {
    const factA = byId.get(members[0]?.id ?? '');
    const factB = byId.get(rival.id);
    return factA === undefined || factB === undefined ? [] : [{ record, factA, factB, members, truncated }];
  });
  return { found, more: end >= 0 };
};

/** Of the two facts that are shown with their values. */
const shownIds = ({ members, rival }: Candidate): string[] => [members[0]?.id ?? rival.id, rival.id];
