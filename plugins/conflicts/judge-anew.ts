import { SIBLING_LIMIT, type TripleKey, tripleId, ZERO_HLC } from '../../kernel/internal-api.ts';
import type { FactOutline, PluginTransaction, WritableTables } from '../../kernel/plugin-api.ts';
import {
  type ConflictRecord,
  insertMembers,
  type Membership,
  openRecords,
  RECORDS,
  recordOf,
  storedMembers,
  WITHDRAWN,
} from './conflict-record.ts';
import type { HeldRelations } from './held-relations.ts';
import type { HiddenRivals } from './hidden-rivals.ts';
import { type JudgedPlace, judgePlaces } from './live-facts.ts';
import { placeDigest, readTimelines, type StoredTimeline, writeTimelines } from './timeline-rows.ts';
import { isContested } from './winner-timeline.ts';

export interface JudgingParts {
  readonly nowMs: number;
  readonly hiddenRivals: HiddenRivals;
}

/** Computes the winners of triples again, after something other than an append has changed them. */
export const judgeAnew = async (
  triples: readonly TripleKey[],
  own: WritableTables,
  transaction: PluginTransaction,
  { nowMs, hiddenRivals }: JudgingParts,
): Promise<readonly JudgedPlace[]> => {
  const [first] = triples;
  if (first === undefined) return [];
  const stored = await readTimelines(own, first.tenantId, triples.map(placeDigest));
  const judged = await judgePlaces(transaction, triples, nowMs, hiddenRivals);
  const { newest } = await transaction.ledgerHead(first.tenantId);
  const since = newest?.feed ?? ZERO_HLC;
  const changes = judged.map(({ triple, timeline }) => ({
    triple,
    before: stored.get(placeDigest(triple)),
    after: [{ ...timeline, since }],
  }));
  await writeTimelines(own, changes, nowMs);
  return judged;
};

/** Computes the winners again where a hidden fact decides them. */
export const judgeWithoutHidden = async (
  facts: readonly FactOutline[],
  own: WritableTables,
  transaction: PluginTransaction,
  parts: JudgingParts,
): Promise<void> => {
  const triples = triplesOf(facts);
  const stored = await readTimelines(own, facts[0]?.tenantId ?? '', triples.map(placeDigest));
  const hidden = new Set(facts.map(({ id }) => id));
  const decided = triples.filter((triple) => namedIn(stored.get(placeDigest(triple))).some((id) => hidden.has(id)));
  await judgeAnew(decided, own, transaction, parts);
};

/**
 * Lets facts contradict others again that were hidden. Opens withdrawn records, and returns the triples that need a new
 * one.
 */
export const judgeReturned = async (
  facts: readonly FactOutline[],
  own: WritableTables,
  transaction: PluginTransaction,
  parts: JudgingParts & { readonly relations: HeldRelations },
): Promise<readonly TripleKey[]> => {
  const judged = await judgeAnew(triplesOf(facts), own, transaction, parts);
  const contested = judged.filter(
    ({ timeline, triple: { tenantId, relationKey } }) =>
      isContested(timeline, parts.nowMs) && !parts.relations.at(tenantId).holdsMany(relationKey),
  );
  const triples = contested.map(({ triple }) => triple);
  const open = await openRecords(own, triples);
  const withdrawn = await withdrawnRecords(own, triples);
  const missing: TripleKey[] = [];
  const members: Membership[] = [];
  for (const { triple, facts: live } of contested) {
    const id = tripleId(triple);
    const record = open.get(id) ?? withdrawn.get(id);
    if (record === undefined) missing.push(triple);
    else members.push(...live.slice(0, SIBLING_LIMIT).map((fact) => ({ record, fact })));
    if (record !== undefined && !open.has(id)) await openAgain(own, record);
  }
  const known = new Set((await storedMembers(own, members)).map(({ conflictId, factId }) => `${conflictId} ${factId}`));
  await insertMembers(
    own,
    members.filter(({ record, fact }) => !known.has(`${record.id} ${fact.id}`)),
  );
  return missing;
};

const triplesOf = (facts: readonly FactOutline[]): readonly TripleKey[] => [
  ...new Map(facts.flatMap((fact) => (fact.system ? [] : [[tripleId(fact), fact] as const]))).values(),
];

const namedIn = (timeline: StoredTimeline | undefined): readonly string[] =>
  timeline === undefined
    ? []
    : [...timeline.wins, timeline.lasting, timeline.contesting].flatMap((fact) => fact?.id ?? []);

const withdrawnRecords = async (
  own: WritableTables,
  triples: readonly TripleKey[],
): Promise<ReadonlyMap<string, ConflictRecord>> => {
  if (triples.length === 0) return new Map();
  const rows = await own.select(RECORDS, {
    tenant_id: triples[0]?.tenantId ?? '',
    entity_key: [...new Set(triples.map(({ entityKey }) => entityKey))],
    status: WITHDRAWN,
  });
  const records = rows.map(recordOf).sort((a, b) => a.detectedMs - b.detectedMs || (a.id < b.id ? -1 : 1));
  return new Map(records.map((record) => [tripleId(record), record]));
};

const openAgain = async (own: WritableTables, record: ConflictRecord): Promise<void> => {
  await own(RECORDS)
    .where({ tenant_id: record.tenantId, conflict_id: record.id })
    .update({ status: 'unresolved', open_triple: placeDigest(record) });
};
