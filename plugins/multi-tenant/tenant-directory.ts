import {
  DEFAULT_TENANT,
  type PluginTables,
  type PluginTransaction,
  type ReadableTables,
  type Row,
  type SqlValue,
  sealJson,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { TenantStatus } from './multi-tenant-api.ts';
import { TENANTS_TABLE } from './multi-tenant-migrations.ts';
import { newTenant, rowOfTenant, type StoredTenant, standingFromRow, tenantFromRow } from './tenant-row.ts';

const LISTED = ['id', 'name', 'status', 'created_ms', 'suspended_ms', 'requested_by', 'requested_ms', 'job_id', 'seal'];

/** The signal after every change of a tenant's status. */
export const TENANTS_CHANGED = 'changed';

export interface TenantFilter {
  readonly status?: TenantStatus | undefined;
  readonly after?: string | undefined;
}

/**
 * The stored directory. Its changes are writes of the tenant `default`, so all processes make them one after another.
 * Only the progress of an erasure is written together with the deleted rows.
 */
export class TenantDirectory {
  readonly #tables: PluginTables;

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  change<T>(work: (own: WritableTables, transaction: PluginTransaction) => Promise<T>): Promise<T> {
    return this.#tables.write(DEFAULT_TENANT, work);
  }

  find(id: string): Promise<StoredTenant | undefined> {
    return this.#tables.read((own) => this.findIn(own, id));
  }

  async findIn(own: ReadableTables, id: string): Promise<StoredTenant | undefined> {
    const [row] = await own.select(TENANTS_TABLE, { id });
    return own.parseOne(row, tenantFromRow);
  }

  /** Lists tenants by id, with one more than `limit`, so that the caller can detect further tenants. */
  list(filter: TenantFilter, limit: number): Promise<{ readonly found: StoredTenant[]; readonly total: number }> {
    return this.#tables.read(async (own) => {
      const { status, after } = filter;
      const matching = () => own(TENANTS_TABLE).where(status === undefined ? {} : { status });
      const query = matching()
        .orderBy('id')
        .limit(limit + 1);
      if (after !== undefined) query.where('id', '>', after);
      // Reads no sealed column, so that damage to such a column hides no tenant from a list.
      const rows = (await query.select(LISTED)) as Record<string, SqlValue>[];
      const [counted] = (await matching().count({ n: '*' })) as { n: number | string }[];
      return { found: own.parse(rows, tenantFromRow), total: Number(counted?.n ?? 0) };
    });
  }

  /** Returns the status of each tenant that is not active. One whose row is damaged counts as suspended. */
  exceptions(): Promise<ReadonlyMap<string, TenantStatus>> {
    return this.#tables.read(async (own) => {
      const rows: Row[] = await own(TENANTS_TABLE).select('id', 'status', 'seal').whereNot('status', 'active');
      const statuses = new Map<string, TenantStatus>();
      const sound = own.parse(rows, standingFromRow, (row) => statuses.set(String(row['id']), 'suspended'));
      for (const { id, status } of sound) statuses.set(id, status);
      return statuses;
    });
  }

  /** Returns erased tenants with their receipts. */
  async erased(): Promise<StoredTenant[]> {
    return this.#tables.read(async (own) =>
      own.parse(await own.select(TENANTS_TABLE, { status: 'erased' }), tenantFromRow),
    );
  }

  async countPresent(own: ReadableTables): Promise<number> {
    const [row] = (await own(TENANTS_TABLE).whereNot('status', 'erased').count({ n: '*' })) as { n: number | string }[];
    return Number(row?.n ?? 0);
  }

  async add(own: WritableTables, tenant: StoredTenant): Promise<void> {
    await own.insertRows(TENANTS_TABLE, [rowOfTenant(tenant)]);
  }

  /** Adds tenants that the directory does not contain. */
  async adopt(ids: readonly string[], nowMs: number): Promise<void> {
    const known = await this.#tables.read((own) => own.select(TENANTS_TABLE, { id: ids }));
    const missing = new Set(ids);
    for (const row of known) missing.delete(String(row['id']));
    if (missing.size === 0) return;
    await this.change(async (own) => {
      for (const id of missing) {
        if ((await this.findIn(own, id)) === undefined) await this.add(own, newTenant(id, null, nowMs));
      }
    });
  }

  async replace(own: WritableTables, tenant: StoredTenant): Promise<void> {
    const { id, removed: _, ...members } = rowOfTenant(tenant);
    own.signal(TENANTS_CHANGED);
    await own(TENANTS_TABLE).where({ id }).update(members);
  }

  /** Adds to the count of deleted rows, in a transaction of the tenant. Returns the total count. */
  async addRemoved(
    transaction: PluginTransaction,
    id: string,
    removed: ReadonlyMap<string, number>,
  ): Promise<Readonly<Record<string, number>>> {
    const own = this.#tables.in(transaction);
    const total: Record<string, number> = { ...(await this.findIn(own, id))?.removed };
    for (const [table, rows] of removed) total[table] = (total[table] ?? 0) + rows;
    await own(TENANTS_TABLE)
      .where({ id })
      .update({ removed: sealJson(total) });
    return total;
  }
}
