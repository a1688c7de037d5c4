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
import type { CitingFact } from './cited-facts.ts';
import { placeDigest } from './timeline-rows.ts';

export const WAITING = 'conflicts_waiting';

/**
 * The maximum number of stored resolutions per triple whose facts have not arrived. It limits the cost of each arriving
 * fact. A resolution beyond the maximum has no effect if its facts arrive after it.
 */
const MOST_WAITING = 64;

/** A resolution with the only speaker whose facts it supersedes; null if it supersedes the facts of all speakers. */
export interface WaitingResolution<F = CitingFact & Pick<FactOutline, 'valueKey'>> {
  readonly fact: F;
  readonly reach: string | null;
}

/** Stores facts that may become resolutions once the facts that they cite arrive. Facts of peers come in any order. */
export const addWaiting = async (
  tables: WritableTables,
  resolutions: readonly WaitingResolution<CitingFact>[],
): Promise<void> => {
  const [first] = resolutions;
  if (first === undefined) return;
  const { tenantId } = first.fact;
  const reaches = new Map(resolutions.map(({ fact, reach }) => [fact.id, reach]));
  const triples = new Map(resolutions.map(({ fact }) => [fact.id, placeDigest(fact)]));
  const counts = new Map<string, number>();
  for (const row of await tables.select(WAITING, { tenant_id: tenantId, triple: [...new Set(triples.values())] })) {
    counts.set(String(row['triple']), (counts.get(String(row['triple'])) ?? 0) + 1);
  }
  const rows = [...triples].flatMap(([factId, triple]) => {
    const count = (counts.get(triple) ?? 0) + 1;
    counts.set(triple, count);
    return count > MOST_WAITING
      ? []
      : [{ tenant_id: tenantId, triple, fact_id: factId, speaker: reaches.get(factId) ?? '' }];
  });
  if (rows.length > 0) await tables.insertRows(WAITING, rows);
};

/**
 * Returns the waiting resolutions that cite one of these facts of their triple and garden. All facts belong to one
 * tenant.
 */
export const waitingFor = async (
  arrived: readonly StoredFact[],
  tables: ReadableTables,
  store: Pick<PluginSnapshot, 'outline'>,
): Promise<readonly WaitingResolution[]> => {
  const [first] = arrived;
  if (first === undefined) return [];
  const { tenantId } = first;
  const rows = await tables.select(WAITING, { tenant_id: tenantId, triple: [...new Set(arrived.map(placeDigest))] });
  if (rows.length === 0) return [];
  const reaches = new Map(rows.map((row) => [String(row['fact_id']), String(row['speaker'])]));
  const ids = [...reaches.keys()];
  const waiting = await store.outline(all(equals('tenantId', tenantId), isIn('id', ids)));
  const hashes = new Set(arrived.map(({ cid }) => cid));
  return waiting
    .filter(({ derivedFrom }) => derivedFrom.some((hash) => hashes.has(hash)))
    .map((fact) => ({ fact, reach: reaches.get(fact.id) || null }));
};

export const dropWaiting = async (tables: WritableTables, facts: readonly CitingFact[]): Promise<void> => {
  const [first] = facts;
  if (first === undefined) return;
  const ids = facts.map(({ id }) => id);
  const query = tables(WAITING).where('tenant_id', first.tenantId);
  await query
    .whereIn('triple', [...new Set(facts.map(placeDigest))])
    .whereIn('fact_id', ids)
    .delete();
};

/**
 * Returns the facts of an append that a waiting resolution may cite. A local fact is newer than every waiting
 * resolution, so only facts of peers count.
 */
export const arrivedFacts = ({ facts }: AppendedBatch): StoredFact[] =>
  facts.flatMap(({ fact, origin }) => (origin === 'peer' && !fact.system && fact.confidence > 0 ? [fact] : []));
