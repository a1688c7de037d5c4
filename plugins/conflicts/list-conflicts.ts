import { portions, readVisiblePage } from '../../kernel/internal-api.ts';
import {
  all,
  type FactOutline,
  type FactReader,
  isIn,
  type NodeSelf,
  type PluginTables,
} from '../../kernel/plugin-api.ts';
import { type ConflictRecord, RECORDS, recordOf } from './conflict-record.ts';
import type { ConflictPage, ConflictPosition, ConflictStatus, ConflictView } from './conflicts-api.ts';
import type { HeldRelations } from './held-relations.ts';
import { type HiddenRivals, withoutHidden } from './hidden-rivals.ts';
import { type KnownMembers, MOST_MEMBERS, membersOf, twoThatDiffer } from './record-members.ts';
import { compareAge, strongestRival } from './strength.ts';
import { WINS } from './timeline-rows.ts';
import { toldAmong } from './told-conflicts.ts';

interface ListParts {
  readonly tables: PluginTables;
  readonly self: NodeSelf;
  readonly hiddenRivals: HiddenRivals;
}

/** Returns the records after `position`, newest detection first, at most `limit` that the caller can see. */
export const listConflicts = async (
  reader: FactReader,
  parts: ListParts & { readonly relations: HeldRelations },
  status: ConflictStatus,
  position: ConflictPosition | undefined,
  limit: number,
): Promise<ConflictPage> => {
  const { tables, relations } = parts;
  const { holdsMany } = relations.at(reader.caller.tenantId);
  const found: Candidate[] = [];
  let after = position;
  for (let size = limit; ; size = Math.max(size, Math.min(size * PAGE_GROWTH, MOST_RECORDS))) {
    const records = await readSome(reader, tables, status, after, size);
    // Equally strong facts share a win, so the query may return a record twice.
    const distinct = [...new Map(records.map((record) => [record.id, record])).values()];
    // A changed rule closes its records in the background. Until then the list leaves them out.
    const shown = status === 'unresolved' ? distinct.filter(({ relationKey }) => !holdsMany(relationKey)) : distinct;
    found.push(...(await candidatesAmong(reader, parts, shown, status)));
    const last = records.at(-1);
    const isOver = last === undefined || records.length < size || found.length >= limit;
    if (isOver) return withFacts(reader, found.slice(0, limit));
    after = { detectedMs: last.detectedMs, id: last.id };
  }
};

/**
 * The number of records that the list reads at once grows by this factor, up to `MOST_RECORDS`, while it finds too few
 * that the caller can see. Otherwise a short list behind many hidden records would cost a few statements for each.
 */
const PAGE_GROWTH = 4;
const MOST_RECORDS = 500;

/** Returns one record in any status, if the caller can see two facts of it with different values. */
export const findConflict = async (
  reader: FactReader,
  parts: ListParts,
  id: string,
): Promise<ConflictView | undefined> => {
  const [record] = await readSome(reader, parts.tables, 'all', undefined, 1, id);
  if (record === undefined) return undefined;
  return (await withFacts(reader, await candidatesAmong(reader, parts, [record], 'all'))).found[0];
};

interface Candidate {
  readonly record: ConflictRecord;
  readonly members: readonly FactOutline[];
  readonly rival: FactOutline;
  readonly truncated: boolean;
}

/**
 * Reads the records in gardens that the caller may read. An unresolved record is listed while two of its facts with
 * different values are live.
 */
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
      .join(WINS, { [`${WINS}.tenant_id`]: own('tenant_id'), [`${WINS}.triple`]: own('open_triple') })
      .where(`${WINS}.from_ms`, '<=', nowMs)
      .where(`${WINS}.until_ms`, '>', nowMs)
      .where(`${WINS}.contested_until_ms`, '>', nowMs);
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
  { tables, self, hiddenRivals }: ListParts,
  records: readonly ConflictRecord[],
  status: ConflictStatus,
): Promise<Candidate[]> => {
  const contesting = await contestingFacts(reader, records, hiddenRivals);
  const others = status === 'unresolved' ? records.filter(({ id }) => !contesting.has(id)) : records;
  const stored = await membersOf(tables.in(reader.snapshot), others);
  const members = new Map(records.map(({ id }) => [id, withMembers(stored.get(id), contesting.get(id))]));
  const resolutions = records.flatMap(({ resolvedBy }) => resolvedBy ?? []);
  const ids = [...resolutions, ...[...members.values()].flatMap((known) => known.ids)];
  const visible = new Map((await visibleAmong(reader, ids)).map((outline) => [outline.id, outline]));
  const seenOf = (known: readonly string[] = []): FactOutline[] => known.flatMap((id) => visible.get(id) ?? []);
  const found = records.flatMap((record) => {
    const known = members.get(record.id);
    const seen = seenOf(known?.ids).sort(compareAge);
    const [newest] = seen;
    const rival = newest === undefined ? undefined : strongestRival(newest, seen);
    const isWhole = seen.length === known?.ids.length;
    return rival === undefined ? [] : [{ record, seen, rival, isWhole, truncated: known?.truncated === true }];
  });
  const partial = found.filter(({ isWhole }) => !isWhole).map(({ record }) => record);
  const told = await toldAmong(reader, partial, self.names);
  return found.flatMap(({ record, seen, isWhole, ...rest }) => {
    // Visible facts may differ although they never contradicted each other. Those that are live now do.
    const isKnown = isWhole || told.has(record.id) || twoThatDiffer(seenOf(contesting.get(record.id))) !== undefined;
    if (!isKnown) return [];
    const resolvedBy = record.resolvedBy !== null && visible.has(record.resolvedBy) ? record.resolvedBy : null;
    return [{ ...rest, record: { ...record, resolvedBy }, members: seen.slice(0, MOST_MEMBERS) }];
  });
};

/**
 * Returns the contradicting live facts of each open record. It reads them from the store, so that all nodes agree on
 * them; the stored members also depend on this node's history. Leaves out triples with very many facts, whose stored
 * members are used instead.
 */
const contestingFacts = async (
  { snapshot, nowMs }: FactReader,
  records: readonly ConflictRecord[],
  hiddenRivals: HiddenRivals,
): Promise<Map<string, readonly string[]>> => {
  const unresolved = records.filter(({ status }) => status === 'unresolved');
  if (unresolved.length === 0) return new Map();
  const groups = await snapshot.siblings(unresolved, nowMs, MOST_MEMBERS);
  const hidden = await hiddenRivals(groups.flat(), snapshot);
  const found = new Map<string, readonly string[]>();
  for (const [at, record] of unresolved.entries()) {
    const search = { triple: record, store: snapshot, moment: { nowMs }, hiddenRivals };
    const open = await withoutHidden(groups[at] ?? [], hidden, MOST_MEMBERS, search);
    const facts = open.filter(({ validFromMs }) => validFromMs === null || validFromMs <= nowMs);
    if (open.length === MOST_MEMBERS || twoThatDiffer(facts) === undefined) continue;
    found.set(
      record.id,
      facts.map(({ id }) => id),
    );
  }
  return found;
};

const withMembers = (known: KnownMembers | undefined, contesting: readonly string[] = []): KnownMembers => ({
  ids: [...new Set([...(known?.ids ?? []), ...contesting])],
  truncated: known?.truncated === true,
});

const IDS_PER_STATEMENT = 1_000;

const visibleAmong = async (reader: FactReader, ids: readonly string[]): Promise<FactOutline[]> => {
  const constraint = await reader.constraint('visible');
  const found: FactOutline[] = [];
  for (const some of portions(ids, IDS_PER_STATEMENT)) {
    found.push(...(await reader.snapshot.outline(all(isIn('id', some), constraint))));
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
    if (factA === undefined || factB === undefined) return [];
    return [{ record, factA, factB, members, truncated }];
  });
  return { found, more: end >= 0 };
};

/** Returns the ids of the two facts whose values are shown. */
const shownIds = ({ members, rival }: Candidate): string[] => [members[0]?.id ?? rival.id, rival.id];
