import type { Cover, Hlc, NamedFact, Row, Scope, Snapshot } from '../../ports/ports.ts';
import { portions } from '../lists/portions.ts';
import type { Expiry, FactName, FormerExpiry } from './plugin-transaction.ts';

type Source = Pick<Snapshot, 'select'>;

/** Returns the covers among these facts, in no order. */
export const readCovers = async (source: Source, facts: readonly FactName[]): Promise<Cover[]> => {
  const [whole, named] = await Promise.all([
    rowsOf(source, 'fact_covers', facts),
    rowsOf(source, 'fact_named_covers', facts),
  ]);
  return [...whole.map((row) => coverOf(row, null)), ...named.map((row) => coverOf(row, nameOf(row)))];
};

/** Returns when these facts expire, in no order; nothing for those without a time to live. */
export const readExpiries = async (source: Source, facts: readonly FactName[]): Promise<Expiry[]> =>
  (await rowsOf(source, 'fact_expiries', facts)).map(expiryOf);

const rowsOf = async (source: Source, table: string, facts: readonly FactName[]): Promise<Row[]> => {
  if (facts.length === 0) return [];
  const where = { tenant_id: tenantsOf(facts), fact_id: facts.map(({ id }) => id) };
  return rowsAmong(facts, await source.select(table, where));
};

const tenantsOf = (facts: readonly FactName[]): string[] => [...new Set(facts.map(({ tenantId }) => tenantId))];

/** Drops rows of another tenant's facts with equal ids. */
const rowsAmong = (facts: readonly FactName[], found: Row[]): Row[] => {
  if (facts.every(({ tenantId }) => tenantId === facts[0]?.tenantId)) return found;
  const wanted = new Set(facts.map(({ tenantId, id }) => `${tenantId} ${id}`));
  return found.filter((row) => wanted.has(`${row['tenant_id']} ${row['fact_id']}`));
};

/** Returns expiries of a tenant in the order of fact ids, strictly after the given id. */
export const readExpiriesAfter = async (
  source: Pick<Snapshot, 'table'>,
  tenantId: string,
  factId: string,
  limit: number,
): Promise<Expiry[]> => {
  const rows: Row[] = await source
    .table('fact_expiries')
    .where('tenant_id', tenantId)
    .where('fact_id', '>', factId)
    .orderBy('fact_id')
    .limit(limit);
  return rows.map(expiryOf);
};

/** Returns expiries of these facts that were replaced after the feed stamp, those of a fact oldest first. */
export const readFormerExpiries = async (
  source: Pick<Snapshot, 'table'>,
  facts: readonly FactName[],
  after: Hlc,
): Promise<FormerExpiry[]> => {
  const found: FormerExpiry[] = [];
  for (const some of portions(facts, MOST_FACTS)) {
    const rows: Row[] = await source
      .table('fact_past_expiries')
      .whereIn('tenant_id', tenantsOf(some))
      .whereIn(
        'fact_id',
        some.map(({ id }) => id),
      )
      .whereRaw('(until_wall, until_ctr) > (?, ?)', [after.wallMs, after.counter])
      .orderBy([{ column: 'since_wall' }, { column: 'since_ctr' }]);
    found.push(...rowsAmong(some, rows).map(formerExpiryOf));
  }
  return found;
};

/** The number of parameters of one statement is limited. A page of the feed has fewer facts. */
const MOST_FACTS = 10_000;

const formerExpiryOf = (row: Row): FormerExpiry => ({
  tenantId: String(row['tenant_id']),
  factId: String(row['fact_id']),
  expiresMs: Number(row['expires_ms']),
  since: stampOf(row, 'since'),
});

const expiryOf = (row: Row): Expiry => ({ ...formerExpiryOf(row), hlc: stampOf(row, 'hlc') });

const nameOf = (row: Row): NamedFact => ({
  id: String(row['named_id']),
  origin: String(row['named_origin']),
  isOwn: Number(row['is_own']) === 1,
});

const coverOf = (row: Row, named: NamedFact | null): Cover => ({
  factId: String(row['fact_id']),
  assertedBy: row['asserted_by'] == null ? null : String(row['asserted_by']),
  named,
  kind: row['kind'] as Cover['kind'],
  tenantId: String(row['tenant_id']),
  entityKey: String(row['entity_key']),
  relationKey: String(row['relation_key']),
  scope: row['scope'] as Scope,
  gardenId: row['place'] === '' ? null : String(row['place']),
  speaker: row['speaker'] === '' ? null : String(row['speaker']),
  hlc: stampOf(row, 'hlc'),
  since: stampOf(row, 'since'),
});

const stampOf = (row: Row, name: string): Hlc => ({
  wallMs: Number(row[`${name}_wall`]),
  counter: Number(row[`${name}_ctr`]),
});
