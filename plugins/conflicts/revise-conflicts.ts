import { openAmong, portions } from '../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  type FactOutline,
  isIn,
  type PluginTransaction,
  type ServiceNames,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { joinedFacts, resolvedFacts, statusFact } from './conflict-facts.ts';
import { type ConflictRecord, closeRecord, MEMBERS, RECORDS, WITHDRAWN } from './conflict-record.ts';
import type { RevisedConflict } from './conflicts-api.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import type { JudgingParts } from './judge-anew.ts';
import { judgePlaces } from './live-facts.ts';
import { justBefore } from './live-siblings.ts';
import { membersOf, twoThatDiffer } from './record-members.ts';
import { strongestRival } from './strength.ts';

export interface RevisingParts extends JudgingParts {
  readonly names: ServiceNames;
}

/** The maximum number of members of a conflict whose meeting with a rival is looked up, the oldest first. */
const MOST_MEETINGS = 64;
/** The maximum number of facts that are tried for the one that has settled a conflict, the newest first. */
const MOST_SETTLINGS = 16;
const IDS_AT_ONCE = 1_000;

/** Changes records with hidden members to what they were if these had never been there; see `ConflictRevisions`. */
export const reviseConflicts = async (
  records: readonly ConflictRecord[],
  own: WritableTables,
  transaction: PluginTransaction,
  parts: RevisingParts,
): Promise<readonly (Omit<RevisedConflict, 'key'> & { readonly record: ConflictRecord })[]> => {
  const members = await membersOf(own, records);
  const known = await outlinesOf(
    [...members.values()].flatMap(({ ids }) => ids),
    records[0]?.tenantId,
    transaction,
  );
  const hidden = await parts.hiddenRivals([...known.values()], transaction);
  const revised = [];
  for (const record of records) {
    const ids = members.get(record.id)?.ids ?? [];
    if (!ids.some((id) => hidden.has(id))) continue;
    const visible = ids.flatMap((id) => (hidden.has(id) ? [] : (known.get(id) ?? [])));
    revised.push({ record, ...(await reviseOne(record, visible, own, transaction, parts)) });
  }
  return revised;
};

const reviseOne = async (
  record: ConflictRecord,
  visible: readonly FactOutline[],
  own: WritableTables,
  transaction: PluginTransaction,
  { names, nowMs, hiddenRivals }: RevisingParts,
): Promise<Omit<RevisedConflict, 'key'>> => {
  const inOrder = visible.toSorted(compareFeed);
  const [place] = await judgePlaces(transaction, [record], nowMs, hiddenRivals);
  const live = place?.facts ?? [];
  const { meetings, looked } = await meetingsOf(inOrder, transaction);
  // Some members of a crowd were not looked up. A present contradiction must not be lost.
  if (meetings.length === 0) meetings.push(...meetingOf(live));
  const named = { tenant_id: record.tenantId, conflict_id: record.id };
  const row = own(RECORDS).where(named);
  const [first] = meetings;
  if (first === undefined) {
    if (record.status === 'unresolved') await row.update({ status: WITHDRAWN, open_triple: null });
    return { sinceMs: undefined, between: [], status: [] };
  }
  const sinceMs = recordedMs(first.fact);
  await row.update({ detected_ms: sinceMs });
  const met = new Set(meetings.flatMap(({ live }) => live.map(({ id }) => id)));
  const others = looked.flatMap(({ id }) => (met.has(id) ? [] : [id]));
  await own(MEMBERS).where(named).whereIn('fact_id', others).delete();
  const between = meetings.map(({ fact, rival }) => joinedFacts(record, fact, rival, names));
  const isOpen = record.status === 'unresolved';
  const settling = isOpen
    ? await settlingFact(inOrder, first.fact, live, transaction)
    : await settledBy(record, transaction, hiddenRivals);
  if (isOpen && settling !== undefined) await closeRecord(own, record, settling.id);
  if (!isOpen && settling === undefined) return { sinceMs, between, status: [] };
  const resolved = settling === undefined ? [] : resolvedFacts(record, settling, '', names);
  return { sinceMs, between, status: [statusFact(record, 'unresolved', first.fact, names), ...resolved] };
};

interface Meeting {
  readonly fact: FactOutline;
  readonly rival: FactOutline;
  /** All facts that were live then. */
  readonly live: readonly FactOutline[];
}

/** Returns which of the facts contradicted an earlier one when they were stored, and the facts that were looked up. */
const meetingsOf = async (inOrder: readonly FactOutline[], transaction: PluginTransaction) => {
  const meetings: Meeting[] = [];
  let from = inOrder.findIndex(({ valueKey }) => valueKey !== inOrder[0]?.valueKey);
  if (from < 0) from = inOrder.length;
  const looked = inOrder.slice(0, from + MOST_MEETINGS);
  for (const [at, fact] of looked.entries()) {
    if (at < from) continue;
    const earlier = looked.slice(0, at + 1);
    const live = await liveAmong(earlier, transaction, { nowMs: recordedMs(fact), asOf: fact.feed });
    const rival = live.some(({ id }) => id === fact.id) ? strongestRival(fact, live) : undefined;
    if (rival !== undefined) meetings.push({ fact, rival, live });
  }
  return { meetings, looked };
};

/** Returns since when two of these live facts contradict each other. */
const meetingOf = (live: readonly FactOutline[]): readonly Meeting[] => {
  const inOrder = live.toSorted(compareFeed);
  const at = inOrder.findIndex(({ valueKey }) => valueKey !== inOrder[0]?.valueKey);
  const [fact, earlier] = [inOrder[at], inOrder.slice(0, at + 1)];
  const rival = fact && strongestRival(fact, earlier);
  return fact === undefined || rival === undefined ? [] : [{ fact, rival, live: earlier }];
};

const compareFeed = (a: FactOutline, b: FactOutline): number => compareHlc(a.feed, b.feed);

/** Returns the fact that ended, by name, the contradictions that began with `first`, if the `live` facts agree. */
const settlingFact = async (
  inOrder: readonly FactOutline[],
  first: FactOutline,
  live: readonly FactOutline[],
  transaction: PluginTransaction,
): Promise<FactOutline | undefined> => {
  if (live.length === 0 || twoThatDiffer(live) !== undefined) return undefined;
  const naming = inOrder.filter(({ replaces, feed }) => replaces.length > 0 && compareHlc(feed, first.feed) > 0);
  for (const fact of naming.toReversed().slice(0, MOST_SETTLINGS)) {
    const nowMs = recordedMs(fact);
    const before = await liveAmong(inOrder, transaction, { nowMs, asOf: justBefore(fact.feed) });
    const known = inOrder.filter(({ feed }) => compareHlc(feed, fact.feed) < 0).map(({ id }) => id);
    if (twoThatDiffer(before.filter(({ id }) => known.includes(id))) === undefined) continue;
    const after = await liveAmong(inOrder, transaction, { nowMs, asOf: fact.feed });
    if (twoThatDiffer(after.filter(({ id }) => known.includes(id) || id === fact.id)) === undefined) return fact;
  }
  return undefined;
};

/** Returns the visible fact that has settled a resolved conflict by naming the facts that it ends. */
const settledBy = async (
  { tenantId, resolvedBy }: ConflictRecord,
  transaction: PluginTransaction,
  hiddenRivals: HiddenRivals,
): Promise<FactOutline | undefined> => {
  if (resolvedBy === null) return undefined;
  const found = await transaction.outline(all(equals('tenantId', tenantId), equals('id', resolvedBy)));
  const hidden = await hiddenRivals(found, transaction);
  return found.find(({ id, replaces }) => replaces.length > 0 && !hidden.has(id));
};

const liveAmong = async (
  facts: readonly FactOutline[],
  transaction: PluginTransaction,
  moment: Parameters<typeof openAmong>[1],
): Promise<readonly FactOutline[]> => {
  const [first] = facts;
  if (first === undefined) return [];
  const ids = facts.map(({ id }) => id);
  return transaction.outline(openAmong(all(equals('tenantId', first.tenantId), isIn('id', ids)), moment));
};

/** Returns when this node stored a fact. Another node chose the timestamp of its own facts. */
const recordedMs = ({ originNodeId, timestampMs, feed }: FactOutline): number =>
  originNodeId === null ? timestampMs : feed.wallMs;

const outlinesOf = async (
  ids: readonly string[],
  tenantId: string | undefined,
  transaction: PluginTransaction,
): Promise<ReadonlyMap<string, FactOutline>> => {
  const found = new Map<string, FactOutline>();
  for (const some of portions([...new Set(ids)], IDS_AT_ONCE)) {
    const filter = all(equals('tenantId', tenantId ?? ''), isIn('id', some));
    for (const fact of await transaction.outline(filter)) found.set(fact.id, fact);
  }
  return found;
};
