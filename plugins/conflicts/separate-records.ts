import {
  above,
  all,
  equals,
  type FactOutline,
  type Hlc,
  isIn,
  isNull,
  type MigrationData,
  not,
  readExpiries,
  SIBLING_LIMIT,
  sha256Hex,
  type TripleKey,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { type ConflictRecord, insertMembers, insertRecords, MEMBERS, RECORDS, recordOf } from './conflict-record.ts';
import { judgePlaces } from './live-facts.ts';
import { insertTimelines, placeDigest } from './timeline-rows.ts';
import { contestedUntil } from './winner-timeline.ts';

const PAGE = 500;

/**
 * The records of a store from before, each with the facts of one place alone, if two of them differ. Until then a
 * record held the facts outside gardens together with those of up to two gardens; what joined places is a record no
 * more.
 */
export const separatedRecords = async (data: MigrationData): Promise<ConflictRecord[]> => {
  const tables = tablesOf(data);
  const records: ConflictRecord[] = [];
  for (let after = ''; ; ) {
    const rows: StoredRecord[] = await data
      .table(RECORDS)
      .where('conflict_id', '>', after)
      .orderBy('conflict_id')
      .limit(PAGE);
    for (const row of rows) records.push(...(await separate(data, tables, row)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return records;
    after = String(last['conflict_id']);
  }
};

/**
 * Stores the records anew, and who wins where. What ended facts in another place ends them no more, so a garden may
 * come to hold differing live facts that no record knows: it gets one, without the facts that say so.
 */
export const storeSeparated = async (records: readonly ConflictRecord[], data: MigrationData): Promise<void> => {
  const nowMs = await data.databaseMs();
  const tables = tablesOf(data);
  const lives: Parameters<typeof judgePlaces>[0] = {
    siblings: (triples, atMs, limit) => data.siblings(triples, atMs, limit),
    expiries: (factIds) => readExpiries(data, factIds),
  };
  for (let at = 0; at < records.length; at += PAGE) await insertRecords(tables, records.slice(at, at + PAGE));
  const open = records.filter(({ status }) => status === 'unresolved');
  const known = new Set(open.map(tripleId));
  const inGardens = (await contestedInGardens(data)).filter((triple) => !known.has(tripleId(triple)));
  const places = [...open, ...inGardens];
  for (let at = 0; at < places.length; at += PAGE) {
    const judged = await judgePlaces(lives, places.slice(at, at + PAGE), nowMs);
    await insertTimelines(tables, judged, nowMs);
    for (const { triple, facts, timeline } of judged) {
      const isNew = contestedUntil(timeline) > nowMs && !known.has(tripleId(triple));
      if (isNew) await addRecord(tables, triple, facts, nowMs);
    }
  }
};

type StoredRecord = Readonly<Record<string, string | number>>;

/** The record as it is from now on, if it is about one place. */
const separate = async (data: MigrationData, tables: WritableTables, row: StoredRecord): Promise<ConflictRecord[]> => {
  const [place = '', ...others] = String(row['gardens']).split(' ');
  const record = recordOf({ ...row, place });
  const own = (await outlinesOf(data, record.id)).filter((fact) => tripleId(fact) === tripleId(record));
  await tables(MEMBERS).where('conflict_id', record.id).delete();
  if (others.length > 0 || own.every(({ valueKey }) => valueKey === own[0]?.valueKey)) return [];
  for (let at = 0; at < own.length; at += PAGE) {
    const some = own.slice(at, at + PAGE);
    await insertMembers(
      tables,
      some.map((fact) => ({ record, fact })),
    );
  }
  return [record];
};

const outlinesOf = async (data: MigrationData, conflictId: string): Promise<FactOutline[]> => {
  const ids = (await data.select(MEMBERS, { conflict_id: conflictId })).map((row) => String(row['fact_id']));
  const found: FactOutline[] = [];
  for (let at = 0; at < ids.length; at += PAGE) {
    found.push(...(await data.outline(isIn('id', ids.slice(at, at + PAGE)))));
  }
  return found;
};

/** Places in gardens where differing facts were stored, whatever has become of them. */
const contestedInGardens = async (data: MigrationData): Promise<TripleKey[]> => {
  const values = new Map<string, string>();
  const contested = new Map<string, TripleKey>();
  const asserted = all(not(isNull('gardenId')), equals('system', false), above('confidence', 0));
  for (let after: Hlc = { wallMs: 0, counter: 0 }; ; ) {
    const facts = await data.find({ filter: all(asserted, above('feed', after)), order: 'feed', limit: PAGE });
    for (const { tenantId, entityKey, relationKey, scope, gardenId, valueKey } of facts) {
      const triple = { tenantId, entityKey, relationKey, scope, gardenId };
      const id = tripleId(triple);
      const known = values.get(id);
      if (known === undefined) values.set(id, valueKey);
      else if (known !== valueKey) contested.set(id, triple);
    }
    const last = facts.at(-1);
    if (last === undefined || facts.length < PAGE) return [...contested.values()];
    after = last.feed;
  }
};

const addRecord = async (
  tables: WritableTables,
  triple: TripleKey,
  facts: readonly FactOutline[],
  nowMs: number,
): Promise<void> => {
  const conflictId = uuidOf(placeDigest(triple));
  const { tenantId, entityKey, relationKey, scope, gardenId } = triple;
  await insertRecords(tables, [
    {
      id: conflictId,
      tenantId,
      entityKey,
      relationKey,
      scope,
      gardenId,
      status: 'unresolved',
      detectedMs: nowMs,
      resolvedBy: null,
    },
  ]);
  const members = facts.slice(0, SIBLING_LIMIT);
  await insertMembers(
    tables,
    members.map((fact) => ({ record: { id: conflictId, tenantId }, fact })),
  );
};

/** A UUID that follows from the place: migrations draw nothing by chance. */
const uuidOf = (digest: string): string => {
  const hex = sha256Hex(`conflict ${digest}`).replace(/^sha256:/, '');
  const part = (from: number, to: number): string => hex.slice(from, to);
  return `${part(0, 8)}-${part(8, 12)}-4${part(13, 16)}-8${part(17, 20)}-${part(20, 32)}`;
};

const tablesOf = (data: MigrationData): WritableTables =>
  Object.assign((table: string) => data.table(table), {
    select: ((table, where) => data.select(table, where)) as WritableTables['select'],
    insertRows: ((table, rows) => data.insertRows(table, rows)) as WritableTables['insertRows'],
    signal: () => {},
  });
