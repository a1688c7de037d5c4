import { DEFAULT_TENANT, ErasedTenant, type Snapshot } from '../../ports/ports.ts';
import { FACTS_TABLE, LEDGERS_TABLE } from './fact-table.ts';
import type { SqlDialect } from './sql-dialect.ts';
import type { SqlSession } from './sql-engine.ts';

/**
 * The table of tenants that are removed or being removed. Their facts may be deleted, and nothing is written for them.
 */
export const REMOVED_TENANTS_TABLE = 'node_removed_tenants';

const IS_REMOVED = `SELECT 1 FROM ${REMOVED_TENANTS_TABLE} WHERE id = ?`;
const MARK = `INSERT INTO ${REMOVED_TENANTS_TABLE} (id) VALUES (?) ON CONFLICT (id) DO NOTHING`;

/** A condition on the `OLD` row of a tenant table: its tenant is being removed. */
export const TENANT_IS_REMOVED = `EXISTS (SELECT 1 FROM ${REMOVED_TENANTS_TABLE} WHERE id = OLD.tenant_id)`;

/**
 * Queries whether a tenant was removed. The write continues in the meantime, and awaits the result before its commit.
 * The tenant `default` cannot be removed.
 */
export const askWhetherRemoved = (session: SqlSession, tenantId: string): Promise<void> | undefined => {
  if (tenantId === DEFAULT_TENANT) return undefined;
  const refused = session.rows(IS_REMOVED, [tenantId]).then((rows) => {
    if (rows.length > 0) throw new ErasedTenant();
  });
  // Handles the rejection, because the write awaits the promise only at its end and may fail before.
  refused.catch(() => {});
  return refused;
};

/** Returns the tenants among these that are removed or being removed. */
export const removedAmong = async (
  snapshot: Pick<Snapshot, 'select'>,
  tenantIds: readonly string[],
): Promise<ReadonlySet<string>> => {
  const rows = await snapshot.select(REMOVED_TENANTS_TABLE, { id: tenantIds });
  return new Set(rows.map(({ id }) => String(id)));
};

/** Marks the tenant as removed and deletes up to `limit` of its rows. Returns the number of deleted rows by table. */
export const removeRows = async (
  session: SqlSession,
  { removal }: SqlDialect,
  tenantId: string,
  limit: number,
): Promise<ReadonlyMap<string, number>> => {
  await session.run(MARK, [tenantId]);
  const removed = new Map<string, number>();
  let left = limit;
  for (const [table, key] of await tablesOfTenants(session, removal.tables)) {
    if (left === 0) break;
    const count = await session.run(removal.statement(table, key), [tenantId, left]);
    if (count > 0) removed.set(table, count);
    left -= count;
  }
  return removed;
};

/**
 * Returns the tables to delete from. Facts come first, and the ledger last, because by it a tenant counts as having
 * facts.
 */
const tablesOfTenants = async (session: SqlSession, query: string): Promise<(readonly [string, string])[]> => {
  const tables = (await session.rows(query, [])).map(([name, key]) => [String(name), String(key)] as const);
  const place = (name: string): number => (name === FACTS_TABLE ? 0 : name === LEDGERS_TABLE ? 2 : 1);
  return tables.sort(([one], [other]) => place(one) - place(other) || (one < other ? -1 : 1));
};
