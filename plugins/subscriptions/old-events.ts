import type { PluginTables } from '../../kernel/plugin-api.ts';
import { LONGEST_RETRY_AFTER_MS } from './retry-plan.ts';
import { EVENTS } from './subscription-store.ts';

/**
 * How far ahead an event may be due or dated. No pause after a failure is longer. A later time comes from a clock that
 * was set back since.
 */
export const FARTHEST_MS = LONGEST_RETRY_AFTER_MS;

interface EventDate {
  readonly seq: number;
  readonly tenant_id: string;
  readonly created_ms: number | string;
}

/**
 * Removes events older than the given time, in the order of their numbers. Returns how many. An event that a clock far
 * ahead has dated gets the present time, because it would otherwise stay for years, and all younger ones with it.
 */
export const removeOldEvents = async (
  { tables, nowMs }: { readonly tables: PluginTables; nowMs(): number },
  olderThanMs: number,
  limit: number,
): Promise<number> => {
  const first: EventDate[] = await tables.read((own) =>
    own(EVENTS).select('seq', 'tenant_id', 'created_ms').orderBy('seq').limit(limit),
  );
  const presentMs = nowMs();
  const old = first.filter(({ created_ms }) => Number(created_ms) < olderThanMs);
  const aheadMs = presentMs + FARTHEST_MS;
  const ahead = first.filter(({ created_ms }) => Number(created_ms) > aheadMs);
  let removed = 0;
  for (const tenantId of new Set([...old, ...ahead].map(({ tenant_id }) => tenant_id))) {
    const seqs = old.filter(({ tenant_id }) => tenant_id === tenantId).map(({ seq }) => seq);
    const count = await tables.writeUnlessErased(tenantId, async (own) => {
      const events = () => own(EVENTS).where('tenant_id', tenantId);
      if (seqs.length > 0) await events().whereIn('seq', seqs).delete();
      if (ahead.length > 0) await events().where('created_ms', '>', aheadMs).update({ created_ms: presentMs });
      return seqs.length;
    });
    removed += count ?? 0;
  }
  return removed;
};
