import type { Withdrawals } from '../../kernel/internal-api.ts';
import { TENANTS_TABLE } from './multi-tenant-migrations.ts';
import type { TenantDirectory } from './tenant-directory.ts';
import type { StoredTenant } from './tenant-row.ts';

const SUSPENDED = 'suspended';
const RESUMED = 'resumed';

/**
 * Suspensions, each with its instant. A tenant is suspended again unless the journal has the end of its last
 * suspension, which `endOfSuspension` writes.
 */
export const suspensions = (directory: TenantDirectory, reload: () => Promise<void>): Withdrawals => ({
  async since(own) {
    const rows: Record<string, unknown>[] = await own(TENANTS_TABLE)
      .where('status', SUSPENDED)
      .select('id', 'suspended_ms');
    return rows.map((row) => `${SUSPENDED}:${row['id']}:${row['suspended_ms']}`);
  },
  async repeat(journaled) {
    const open = openIn(journaled);
    if (open.size === 0) return 0;
    const count = await directory.change(async (own) => {
      let changed = 0;
      for (const [id, suspendedMs] of open) {
        const tenant = await directory.findIn(own, id);
        const isOlder = tenant?.status === SUSPENDED && (tenant.suspendedMs ?? 0) < suspendedMs;
        if (tenant === undefined || !(tenant.status === 'active' || isOlder)) continue;
        await directory.replace(own, { ...tenant, status: SUSPENDED, suspendedMs });
        changed += 1;
      }
      return changed;
    });
    if (count > 0) await reload();
    return count;
  },
});

/** Returns the entry that ends the suspensions of a tenant up to its present one. */
export const endOfSuspension = ({ id, suspendedMs }: Pick<StoredTenant, 'id' | 'suspendedMs'>): string =>
  `${RESUMED}:${id}:${suspendedMs ?? 0}`;

/** Returns the instant of the last suspension of each tenant for which the journal has no end. */
const openIn = (journaled: ReadonlySet<string>): ReadonlyMap<string, number> => {
  const latest = { [SUSPENDED]: new Map<string, number>(), [RESUMED]: new Map<string, number>() };
  for (const entry of journaled) {
    const [kind, id = '', ms = ''] = entry.split(':');
    const seen = kind === SUSPENDED || kind === RESUMED ? latest[kind] : undefined;
    seen?.set(id, Math.max(seen.get(id) ?? 0, Number(ms) || 0));
  }
  return new Map([...latest[SUSPENDED]].filter(([id, ms]) => ms > (latest[RESUMED].get(id) ?? 0)));
};
