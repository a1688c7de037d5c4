import { tripleId } from '../../kernel/internal-api.ts';
import type { PluginTransaction, ReadableTables, StoredFact, WritableTables } from '../../kernel/plugin-api.ts';
import { appendAboutRecords, type FollowParts } from './append-about-records.ts';
import { statusFact } from './conflict-facts.ts';
import { type ConflictRecord, closeRecord, openRecords, RECORDS, recordOf } from './conflict-record.ts';
import { conflictResolved } from './conflicts-api.ts';
import { differingMembers, someMembers } from './record-members.ts';

/** Returns a page of the open records of a tenant, by id. */
export const planClosing = async (
  own: ReadableTables,
  tenantId: string,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<ConflictRecord[]> =>
  (
    await own(RECORDS)
      .where({ tenant_id: tenantId, status: 'unresolved' })
      .where('conflict_id', '>', after)
      .orderBy('conflict_id')
      .limit(limit)
  ).map(recordOf);

/** Closes records whose relation holds many values. Returns their number. */
export const closeGone = async (
  wanted: readonly ConflictRecord[],
  parts: FollowParts,
  guard: (transaction: PluginTransaction) => Promise<void>,
  tenantId: string,
): Promise<number> => {
  const { tables, names } = parts;
  for (let records = wanted; records.length > 0; records = await tables.read((own) => stillOpen(own, records))) {
    const drafts = records.map((record) => statusFact(record, 'resolved', record, names));
    const write = (own: WritableTables, transaction: PluginTransaction) => closeAll(records, own, transaction, parts);
    if (await appendAboutRecords({ drafts, write }, parts, guard, tenantId)) return records.length;
  }
  return 0;
};

const stillOpen = async (own: ReadableTables, records: readonly ConflictRecord[]): Promise<ConflictRecord[]> => {
  const open = await openRecords(own, records);
  return records.filter((record) => open.get(tripleId(record))?.id === record.id);
};

const closeAll = async (
  records: readonly ConflictRecord[],
  own: WritableTables,
  transaction: PluginTransaction,
  { hooks, relations, hiddenRivals }: FollowParts,
): Promise<boolean> => {
  const open = await stillOpen(own, records);
  const isRight = open.every(({ tenantId, relationKey }) => relations.at(tenantId).holdsMany(relationKey));
  if (open.length < records.length || !isRight) return false;
  for (const record of records) {
    await closeRecord(own, record, null);
    const fact = await newestMember(record, own, transaction);
    if (fact === undefined || !hooks.hasHandlers(conflictResolved)) continue;
    const witnesses = () => differingMembers(transaction, own, record, hiddenRivals);
    await hooks.collect(conflictResolved, { conflictId: record.id, triple: record, fact, transaction, witnesses });
  }
  return true;
};

const newestMember = async (
  record: ConflictRecord,
  own: ReadableTables,
  transaction: PluginTransaction,
): Promise<StoredFact | undefined> => {
  const [id] = await someMembers(own, record, 'newest', 1);
  return id === undefined ? undefined : transaction.get(record.tenantId, id);
};
