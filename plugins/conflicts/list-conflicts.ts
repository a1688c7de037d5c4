import {
  all,
  compareHlc,
  type FactOutline,
  type FactReader,
  type FactView,
  isIn,
  type PluginTables,
} from '../../kernel/plugin-api.ts';
import { type ConflictRecord, mayKnow, membersOf, RECORDS, recordOf } from './conflict-record.ts';
import { compareStrength, strongestRival } from './judge-triple.ts';

export type StatusFilter = 'unresolved' | 'resolved' | 'all';

/** A record as one caller sees it: computed over the members visible to that caller alone. */
export interface ConflictView {
  readonly record: ConflictRecord;
  /** The newest visible member. */
  readonly factA: FactView;
  /** Its strongest rival: another value, highest confidence, then highest stamp. */
  readonly factB: FactView;
  /** Visible member ids, newest first. */
  readonly members: readonly FactOutline[];
}

export interface Position {
  readonly detectedMs: number;
  readonly id: string;
}

/** Records read per round while looking for visible ones. */
const ROUND = 200;

/** Records in order of detection, newest first, starting after `position`; at most `limit` that the caller can see. */
export async function listConflicts(
  reader: FactReader,
  tables: PluginTables,
  status: StatusFilter,
  position: Position | undefined,
  limit: number,
): Promise<ConflictView[]> {
  const found: Candidate[] = [];
  let after = position;
  for (;;) {
    const records = await readRound(reader, tables, status, after);
    for (const candidate of await candidatesAmong(reader, tables, records, status)) {
      found.push(candidate);
      if (found.length === limit) return withFacts(reader, found);
    }
    const last = records.at(-1);
    if (last === undefined || records.length < ROUND) return withFacts(reader, found);
    after = { detectedMs: last.detectedMs, id: last.id };
  }
}

/** One record, when the caller can see members with at least two different values, whatever its status. */
export async function findConflict(
  reader: FactReader,
  tables: PluginTables,
  id: string,
): Promise<ConflictView | undefined> {
  const rows = await tables.in(reader.snapshot).select(RECORDS, { conflict_id: id, tenant_id: reader.caller.tenantId });
  return (await withFacts(reader, await candidatesAmong(reader, tables, rows.map(recordOf), 'all')))[0];
}

/** No identifier. */
const NOTHING = '';

interface Candidate {
  readonly record: ConflictRecord;
  readonly members: readonly FactOutline[];
  readonly rival: FactOutline;
}

async function readRound(
  reader: FactReader,
  tables: PluginTables,
  status: StatusFilter,
  after: Position | undefined,
): Promise<ConflictRecord[]> {
  const query = tables
    .in(reader.snapshot)(RECORDS)
    .where('tenant_id', reader.caller.tenantId)
    .orderBy([
      { column: 'detected_ms', order: 'desc' },
      { column: 'conflict_id', order: 'desc' },
    ])
    .limit(ROUND);
  if (status !== 'all') query.where('status', status);
  if (after !== undefined) {
    query.where((older) =>
      older
        .where('detected_ms', '<', after.detectedMs)
        .orWhere((same) => same.where('detected_ms', after.detectedMs).where('conflict_id', '<', after.id)),
    );
  }
  return (await query).map(recordOf);
}

async function candidatesAmong(
  reader: FactReader,
  tables: PluginTables,
  records: readonly ConflictRecord[],
  status: StatusFilter,
): Promise<Candidate[]> {
  const known = records.filter(
    (record) => mayKnow(record, reader.gardens) && reader.caller.allowedScopes.has(record.scope),
  );
  // The same queries follow where there is nothing, for what is hidden must not be told apart from it by their number.
  const ids = known.length === 0 ? [NOTHING] : known.map((record) => record.id);
  const members = await membersOf(tables.in(reader.snapshot), ids);
  const view = status === 'unresolved' ? 'live' : 'visible';
  const visible = await outlinesById(reader, [...members.values()].flat(), 'visible');
  const judged = view === 'visible' ? visible : await outlinesById(reader, [...visible.keys()], 'live');
  return records.flatMap((record) => {
    const own = members.get(record.id) ?? [];
    const rivals = new Set(own.flatMap((id) => judged.get(id)?.valueKey ?? []));
    if (rivals.size < 2) return [];
    const seen = own.flatMap((id) => visible.get(id) ?? []).sort(newestFirst);
    const [newest] = seen;
    const rival = newest === undefined ? undefined : strongestRival(newest, seen);
    return rival === undefined ? [] : [{ record, members: seen, rival }];
  });
}

async function outlinesById(
  reader: FactReader,
  ids: readonly string[],
  view: 'visible' | 'live',
): Promise<Map<string, FactOutline>> {
  const named = isIn('id', ids.length === 0 ? [NOTHING] : ids);
  const outlines = await reader.snapshot.outline(all(named, await reader.constraint(view)));
  return new Map(outlines.map((outline) => [outline.id, outline]));
}

async function withFacts(reader: FactReader, candidates: readonly Candidate[]): Promise<ConflictView[]> {
  const wanted = candidates.flatMap(({ members, rival }) => [members[0]?.id ?? rival.id, rival.id]);
  const facts = wanted.length === 0 ? [] : await reader.annotate(await reader.visible([...new Set(wanted)]));
  const byId = new Map(facts.map((view) => [view.fact.id, view]));
  return candidates.flatMap(({ record, members, rival }) => {
    const factA = byId.get(members[0]?.id ?? '');
    const factB = byId.get(rival.id);
    return factA === undefined || factB === undefined ? [] : [{ record, factA, factB, members }];
  });
}

const newestFirst = (a: FactOutline, b: FactOutline): number => compareHlc(b.hlc, a.hlc) || compareStrength(a, b);
