import type { SqlValue, WriteTransaction } from '../ports/ports.ts';

/** Columns with ids of facts, each with the column that repeats the value key of the fact. */
type RepeatedKeys = Readonly<Record<string, string>>;

/** The tables that repeat value keys of facts, by the digest of their triple. */
export const VALUE_KEY_COPIES: Readonly<Record<string, RepeatedKeys>> = {
  conflicts_wins: { fact_id: 'value_key', lasting_id: 'lasting_value_key', contesting_id: 'contesting_value_key' },
  conflicts_past_wins: { fact_id: 'value_key' },
};

/**
 * Copies the value keys of facts into the rows of the next triples, after the facts have their new ones. Returns the
 * last triple; undefined at the end.
 */
export const copyValueKeys = async (
  transaction: WriteTransaction,
  table: string,
  after: readonly SqlValue[] | undefined,
  limit: number,
): Promise<{ readonly last: readonly SqlValue[]; readonly rows: number } | undefined> => {
  const query = transaction.table(table).distinct('tenant_id', 'triple').orderBy(['tenant_id', 'triple']).limit(limit);
  if (after !== undefined) {
    const [tenantId, triple] = after.map(String) as [string, string];
    query.where((later) =>
      later
        .where('tenant_id', '>', tenantId)
        .orWhere((same) => same.where({ tenant_id: tenantId }).where('triple', '>', triple)),
    );
  }
  const found: Record<string, SqlValue>[] = await query;
  for (const { tenant_id: tenantId, triple } of found) {
    const place = { tenant_id: tenantId, triple };
    const rows: Record<string, SqlValue>[] = await transaction.table(table).select('*').where(place);
    for (const [idColumn, keyColumn] of Object.entries(VALUE_KEY_COPIES[table] ?? {})) {
      const ids = [...new Set(rows.map((row) => String(row[idColumn])))].filter((id) => id !== '');
      const facts = await transaction.select('facts', { tenant_id: tenantId as string, id: ids });
      for (const { id, value_key: key } of facts) {
        await transaction
          .table(table)
          .where({ ...place, [idColumn]: id })
          .update({ [keyColumn]: key });
      }
    }
  }
  const last = found.at(-1);
  return last && { rows: found.length, last: [last['tenant_id'] ?? null, last['triple'] ?? null] };
};
