import {
  type AppendedBatch,
  all,
  equals,
  type FactOutline,
  isIn,
  type PluginSnapshot,
  type ReadableTables,
  type StoredFact,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { Naming } from './named-facts.ts';
import { placeDigest } from './standing-rows.ts';

export const WAITING = 'conflicts_waiting';

/**
 * Facts of one triple and place that are kept waiting: bounds what a fact costs that arrives there. Those that come
 * after them settle nothing when the facts that they name arrive even later.
 */
const MOST_WAITING = 64;

/**
 * Keeps facts in mind that may settle their triple once the facts arrive that they name. Facts of other nodes come in
 * any order, so that a resolution may be there before its members.
 */
export const addWaiting = async (tables: WritableTables, facts: readonly Naming[]): Promise<void> => {
  const [first] = facts;
  if (first === undefined) return;
  const { tenantId } = first;
  const triples = new Map(facts.map((fact) => [fact.id, placeDigest(fact)]));
  const counts = new Map<string, number>();
  for (const row of await tables.select(WAITING, { tenant_id: tenantId, triple: [...new Set(triples.values())] })) {
    counts.set(String(row['triple']), (counts.get(String(row['triple'])) ?? 0) + 1);
  }
  const rows = [...triples].flatMap(([factId, triple]) => {
    const count = (counts.get(triple) ?? 0) + 1;
    counts.set(triple, count);
    return count > MOST_WAITING ? [] : [{ tenant_id: tenantId, triple, fact_id: factId }];
  });
  if (rows.length > 0) await tables.insertRows(WAITING, rows);
};

/** The waiting facts that name one of these facts, on its triple in its place. All are of one tenant. */
export const waitingFor = async (
  arrived: readonly StoredFact[],
  tables: ReadableTables,
  store: Pick<PluginSnapshot, 'outline'>,
): Promise<readonly FactOutline[]> => {
  const [first] = arrived;
  if (first === undefined) return [];
  const { tenantId } = first;
  const rows = await tables.select(WAITING, { tenant_id: tenantId, triple: [...new Set(arrived.map(placeDigest))] });
  if (rows.length === 0) return [];
  const ids = rows.map((row) => String(row['fact_id']));
  const waiting = await store.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const hashes = new Set(arrived.map(({ cid }) => cid));
  return waiting.filter(({ derivedFrom }) => derivedFrom.some((hash) => hashes.has(hash)));
};

export const dropWaiting = async (tables: WritableTables, facts: readonly Naming[]): Promise<void> => {
  const [first] = facts;
  if (first === undefined) return;
  const ids = facts.map(({ id }) => id);
  const query = tables(WAITING).where('tenant_id', first.tenantId);
  await query
    .whereIn('triple', [...new Set(facts.map(placeDigest))])
    .whereIn('fact_id', ids)
    .delete();
};

/** Of an append: the facts that other nodes may have waited for. What is asserted here is newer than all that waits. */
export const arrivedFacts = ({ facts }: AppendedBatch): StoredFact[] =>
  facts.flatMap(({ fact, origin }) => (origin === 'peer' && !fact.system && fact.confidence > 0 ? [fact] : []));
