import {
  type AppendedBatch,
  type AppendedFact,
  all,
  defineRef,
  equals,
  type FactDraft,
  type FactOutline,
  type Filter,
  formatInstant,
  inTable,
  isIn,
  type NodeSelf,
  not,
  noteOf,
  type PluginTables,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';
import { COPIES } from './ingest-tables.ts';

/** A note on the draft of a received fact: the local ids of the unproven facts that its proof refutes. */
export const RefutedCopies = defineRef<readonly string[]>('federation.refuted-copies');

/** Matches facts that no proven fact has refuted. */
export const NOT_REFUTED: Filter = not(
  inTable(COPIES, [
    { column: 'tenant_id', is: 'equal', field: 'tenantId' },
    { column: 'fact_id', is: 'equal', field: 'id' },
  ]),
);

/**
 * Hides the copies that the new facts refute, in the transaction that stores these facts. Returns a time-to-live for
 * each copy, so that winners, indexes and cards treat the copy as expired.
 */
export const hideCopies = (
  batch: AppendedBatch,
  tables: PluginTables,
  self: Pick<NodeSelf, 'names'>,
): Promise<FactDraft[]> | undefined => {
  const refuting = new Map(batch.facts.flatMap(copiesOf));
  return refuting.size === 0 ? undefined : hide(refuting, batch, tables, self);
};

const hide = async (
  refuting: ReadonlyMap<string, StoredFact>,
  { facts, transaction }: AppendedBatch,
  tables: PluginTables,
  self: Pick<NodeSelf, 'names'>,
): Promise<FactDraft[]> => {
  const { tenantId } = (facts[0] as AppendedFact).fact;
  const own = tables.in(transaction);
  const ids = [...refuting.keys()];
  const known = await own.select(COPIES, { tenant_id: tenantId, fact_id: ids });
  const hidden = new Set(known.map((row) => String(row['fact_id'])));
  const found = await transaction.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const fresh = found.filter(({ id }) => !hidden.has(id));
  const rowOf = ({ id }: FactOutline) => ({ tenant_id: tenantId, fact_id: id, proven_id: refuting.get(id)?.id ?? '' });
  await own.insertRows(COPIES, fresh.map(rowOf));
  const expiries = new Map((await transaction.expiries(fresh)).map((expiry) => [expiry.factId, expiry.expiresMs]));
  return fresh.flatMap((copy) => {
    const proven = refuting.get(copy.id);
    const expiresMs = expiries.get(copy.id);
    const end = endOf(copy, LONG_AGO_MS, self);
    // If a client has set a time-to-live on the copy, it applies to the proven fact instead.
    if (proven === undefined || expiresMs === undefined || proven.cid !== copy.cid) return [end];
    return [end, endOf(proven, expiresMs, self)];
  });
};

/** Returns the copies that a fact refutes, each with that fact. */
const copiesOf = ({ fact, notes }: AppendedFact): (readonly [string, StoredFact])[] =>
  (noteOf(notes, RefutedCopies) ?? []).map((id) => [id, fact] as const);

const LONG_AGO_MS = 0;

const endOf = (
  { id, gardenId }: Pick<StoredFact, 'id' | 'gardenId'>,
  expiresMs: number,
  { names }: Pick<NodeSelf, 'names'>,
): FactDraft => ({
  entity: names.factEntity(id),
  relation: names.meta('ttl'),
  value: { type: 'datetime', v: formatInstant(expiresMs), interpretAs: 'content' },
  source: names.systemSource,
  confidence: 1,
  scope: 'local',
  gardenId,
});
