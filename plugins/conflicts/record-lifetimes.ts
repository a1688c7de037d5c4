import {
  type AppendedBatch,
  all,
  equals,
  type FactDraft,
  isIn,
  parseDateOrInstant,
  type ServiceNames,
  type TripleKey,
  tripleId,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import { ttlTarget } from '../facts/facts-api.ts';
import { openRecords } from './conflict-record.ts';
import { type Judged, judgePlaces } from './live-facts.ts';
import { openMissing } from './open-missing.ts';
import { RecordWriter, type WriterParts } from './record-writer.ts';
import { contestedUntil } from './standing.ts';
import { placeDigest, readStandings, writeStandings } from './standing-rows.ts';

/**
 * A time-to-live ends a fact at another time, or brings it back: who reigns in its place is worked out anew. Must run
 * after the times-to-live of the batch have taken effect.
 */
export const recordLifetimes = async (
  batch: AppendedBatch,
  tables: WritableTables,
  parts: WriterParts,
): Promise<FactDraft[]> => {
  const targets = targetsOf(batch, parts.names);
  if (targets.size === 0) return [];
  const { facts, transaction, nowMs } = batch;
  const tenantId = facts[0]?.fact.tenantId ?? '';
  const places = new Map<string, { readonly triple: TripleKey; readonly mayLive: boolean }>();
  const targeted = all(equals('tenantId', tenantId), isIn('id', [...targets.keys()]));
  for (const fact of await transaction.outline(targeted)) {
    if (fact.system) continue;
    const id = tripleId(fact);
    const mayLive = (targets.get(fact.id) ?? 0) > nowMs || places.get(id)?.mayLive === true;
    places.set(id, { triple: fact, mayLive });
  }
  const known = [...places.values()];
  const stored = await readStandings(
    tables,
    known.map(({ triple }) => placeDigest(triple)),
  );
  const touched = known.filter(({ triple, mayLive }) => mayLive || stored.has(placeDigest(triple)));
  const judged = await judgePlaces(
    transaction,
    touched.map(({ triple }) => triple),
    nowMs,
  );
  await writeStandings(
    tables,
    judged.map(({ triple, standing }) => ({ triple, before: stored.get(placeDigest(triple)), after: standing })),
    nowMs,
  );
  return recordReturned(judged, batch, tables, parts);
};

/** The facts that the batch gives another life, with the instant at which it ends. */
const targetsOf = ({ facts }: AppendedBatch, names: ServiceNames): Map<string, number> => {
  const targets = new Map<string, number>();
  for (const { fact } of facts) {
    if (!fact.system || fact.relationKey !== names.meta('ttl') || fact.value.type !== 'datetime') continue;
    targets.set(ttlTarget(fact.entity, names), parseDateOrInstant(String(fact.value.v)) ?? 0);
  }
  return targets;
};

/** A fact that came back may contradict what was said while it was gone. */
const recordReturned = async (
  judged: readonly Judged[],
  { transaction, nowMs }: AppendedBatch,
  tables: WritableTables,
  parts: WriterParts,
): Promise<FactDraft[]> => {
  const contested = judged.filter(({ standing }) => contestedUntil(standing) > nowMs);
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
