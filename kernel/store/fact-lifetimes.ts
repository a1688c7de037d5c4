import type { Cover, Hlc, Row, Scope, Snapshot } from '../../ports/ports.ts';
import type { Expiry, FactName } from './plugin-transaction.ts';

type Source = Pick<Snapshot, 'select'>;

/** Returns the covers among these facts, in no order. */
export const readCovers = async (source: Source, facts: readonly FactName[]): Promise<Cover[]> =>
  (await rowsOf(source, 'fact_covers', facts)).map(coverOf);

/** Returns when these facts expire, in no order; nothing for those without a time to live. */
export const readExpiries = async (source: Source, facts: readonly FactName[]): Promise<Expiry[]> =>
  (await rowsOf(source, 'fact_expiries', facts)).map(expiryOf);

const rowsOf = async (source: Source, table: string, facts: readonly FactName[]): Promise<Row[]> => {
  if (facts.length === 0) return [];
  const tenants = new Set(facts.map(({ tenantId }) => tenantId));
  const found = await source.select(table, { tenant_id: [...tenants], fact_id: facts.map(({ id }) => id) });
  if (tenants.size === 1) return found;
  const wanted = new Set(facts.map(({ tenantId, id }) => `${tenantId} ${id}`));
  return found.filter((row) => wanted.has(`${row['tenant_id']} ${row['fact_id']}`));
};

/** Expiries of a tenant by fact id, strictly after this one. */
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

const expiryOf = (row: Row): Expiry => ({
  tenantId: String(row['tenant_id']),
  factId: String(row['fact_id']),
  expiresMs: Number(row['expires_ms']),
  hlc: stampOf(row, 'hlc'),
  since: stampOf(row, 'since'),
});

const coverOf = (row: Row): Cover => ({
  factId: String(row['fact_id']),
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
