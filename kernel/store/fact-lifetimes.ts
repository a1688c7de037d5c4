import type { Cover, Hlc, NamedFact, Row, Scope, Snapshot } from '../../ports/ports.ts';
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
  const tenants = new Set(facts.map(({ tenantId }) => tenantId));
  const found = await source.select(table, { tenant_id: [...tenants], fact_id: facts.map(({ id }) => id) });
  if (tenants.size === 1) return found;
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

/** Returns expiries of these facts that were replaced after the feed stamp, the oldest first. */
export const readFormerExpiries = async (
  source: Pick<Snapshot, 'table'>,
  facts: readonly FactName[],
  after: Hlc,
): Promise<FormerExpiry[]> => {
  const found: FormerExpiry[] = [];
  for (const tenantId of new Set(facts.map((fact) => fact.tenantId))) {
    const ids = facts.filter((fact) => fact.tenantId === tenantId).map(({ id }) => id);
    for (let at = 0; at < ids.length; at += MOST_IDS) {
      const rows: Row[] = await source
        .table('fact_past_expiries')
        .where('tenant_id', tenantId)
        .whereIn('fact_id', ids.slice(at, at + MOST_IDS))
        .whereRaw('(until_wall, until_ctr) > (?, ?)', [after.wallMs, after.counter])
        .orderBy([{ column: 'since_wall' }, { column: 'since_ctr' }]);
      found.push(...rows.map(formerExpiryOf));
    }
  }
  return found;
};

/** The number of parameters of one statement is limited. */
const MOST_IDS = 1_000;

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
