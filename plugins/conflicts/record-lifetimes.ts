import { parseDateOrInstant, type TripleKey, tripleId, ZERO_HLC } from '../../kernel/internal-api.ts';
import {
  type AppendedBatch,
  all,
  compareHlc,
  equals,
  type FactDraft,
  type Hlc,
  isIn,
  type ServiceNames,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ttlTarget } from '../facts/facts-api.ts';
import { openRecords } from './conflict-record.ts';
import type { HeldRelations } from './held-relations.ts';
import { type JudgedPlace, judgePlaces } from './live-facts.ts';
import { openMissing } from './open-missing.ts';
import { RecordWriter, type WriterParts } from './record-writer.ts';
import { placeDigest, readTimelines, writeTimelines } from './timeline-rows.ts';
import { contestedUntil } from './winner-timeline.ts';

export interface LifetimeParts extends WriterParts {
  readonly relations: HeldRelations;
}

/**
 * Computes the winners again where a time-to-live changes the expiry of a fact or revives it. Must run after the
 * times-to-live of the batch have taken effect.
 */
export const recordLifetimes = async (
  batch: AppendedBatch,
  tables: WritableTables,
  parts: LifetimeParts,
): Promise<FactDraft[]> => {
  const targets = targetsOf(batch, parts.names);
  if (targets.size === 0) return [];
  const { facts, transaction, nowMs } = batch;
  const tenantId = facts[0]?.fact.tenantId ?? '';
  const places = new Map<string, { readonly triple: TripleKey; readonly mayLive: boolean; readonly since: Hlc }>();
  const targeted = all(equals('tenantId', tenantId), isIn('id', [...targets.keys()]));
  for (const fact of await transaction.outline(targeted)) {
    if (fact.system) continue;
    const id = tripleId(fact);
    const { untilMs, since } = targets.get(fact.id) ?? { untilMs: 0, since: ZERO_HLC };
    const other = places.get(id);
    const mayLive = untilMs > nowMs || other?.mayLive === true;
    const isLater = other === undefined || compareHlc(since, other.since) > 0;
    places.set(id, { triple: fact, mayLive, since: isLater ? since : other.since });
  }
  const known = [...places.values()];
  const stored = await readTimelines(
    tables,
    tenantId,
    known.map(({ triple }) => placeDigest(triple)),
  );
  const touched = known.filter(({ triple, mayLive }) => mayLive || stored.has(placeDigest(triple)));
  const judged = await judgePlaces(
    transaction,
    touched.map(({ triple }) => triple),
    nowMs,
    parts.hiddenRivals,
  );
  await writeTimelines(
    tables,
    judged.map(({ triple, timeline }, at) => ({
      triple,
      before: stored.get(placeDigest(triple)),
      after: [{ ...timeline, since: touched[at]?.since ?? ZERO_HLC }],
    })),
    nowMs,
  );
  return recordReturned(judged, batch, tables, parts);
};

/** Returns the facts whose expiry this batch changes, with the new expiry and its stamp. */
const targetsOf = (
  { facts }: AppendedBatch,
  names: ServiceNames,
): Map<string, { readonly untilMs: number; readonly since: Hlc }> => {
  const targets = new Map<string, { readonly untilMs: number; readonly since: Hlc }>();
  for (const { fact } of facts) {
    if (!fact.system || fact.relationKey !== names.meta('ttl') || fact.value.type !== 'datetime') continue;
    const untilMs = parseDateOrInstant(String(fact.value.v)) ?? 0;
    targets.set(ttlTarget(fact.entity, names), { untilMs, since: fact.feed });
  }
  return targets;
};

/** Opens records for revived facts. Each may contradict facts that were stored while it was expired. */
const recordReturned = async (
  judged: readonly JudgedPlace[],
  { transaction, nowMs }: AppendedBatch,
  tables: WritableTables,
  parts: LifetimeParts,
): Promise<FactDraft[]> => {
  const contested = judged.filter(
    ({ timeline, triple: { tenantId, relationKey } }) =>
      contestedUntil(timeline) > nowMs && !parts.relations.at(tenantId).holdsMany(relationKey),
  );
  if (contested.length === 0) return [];
  const writer = new RecordWriter(transaction, tables, nowMs, parts);
  const open = await openRecords(
    tables,
    contested.map(({ triple }) => triple),
  );
  const unrecorded = contested.filter(({ triple }) => !open.has(tripleId(triple)));
  await openMissing(unrecorded, writer, transaction);
  await writer.write();
  await writer.tell();
  return writer.drafts;
};
