import type { Cover, Row, Scope, Snapshot } from '../../ports/ports.ts';
import type { Expiry } from './plugin-transaction.ts';

type Source = Pick<Snapshot, 'select'>;

/** The covers that these facts are, in no order. */
export const readCovers = async (source: Source, factIds: readonly string[]): Promise<Cover[]> =>
  factIds.length === 0 ? [] : (await source.select('fact_covers', { fact_id: factIds })).map(coverOf);

/** When these facts expire, in no order; nothing for those without a time to live. */
export const readExpiries = async (source: Source, factIds: readonly string[]): Promise<Expiry[]> =>
  factIds.length === 0 ? [] : (await source.select('fact_expiries', { fact_id: factIds })).map(expiryOf);

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
  factId: String(row['fact_id']),
  expiresMs: Number(row['expires_ms']),
  hlc: stampOf(row),
});

const coverOf = (row: Row): Cover => ({
  factId: String(row['fact_id']),
  kind: row['kind'] as Cover['kind'],
  tenantId: String(row['tenant_id']),
  entityKey: String(row['entity_key']),
  relationKey: String(row['relation_key']),
  scope: row['scope'] as Scope,
  gardenId: row['place'] === '' ? null : String(row['place']),
  hlc: stampOf(row),
});

const stampOf = (row: Row): Cover['hlc'] => ({ wallMs: Number(row['hlc_wall']), counter: Number(row['hlc_ctr']) });
