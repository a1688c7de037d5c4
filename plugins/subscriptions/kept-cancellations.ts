import type { Withdrawals } from '../../kernel/internal-api.ts';
import type { PluginTables } from '../../kernel/plugin-api.ts';
import { RECORDS } from './subscription-record.ts';
import type { SubscriptionStore } from './subscription-store.ts';

/** Ids of deleted subscriptions. Their owners must not get events again after a restore of an older state. */
export const cancellations = (store: SubscriptionStore, tables: PluginTables): Withdrawals => ({
  // A deletion writes itself down.
  since: async () => [],
  async repeat(journaled) {
    if (journaled.size === 0) return 0;
    const back = await tables.read(async (own) => {
      const rows = (await own(RECORDS).select('tenant_id', 'subscription_id')) as Record<string, string>[];
      return rows.filter((row) => journaled.has(String(row['subscription_id'])));
    });
    for (const row of back) {
      await store.remove({ tenantId: String(row['tenant_id']), id: String(row['subscription_id']) });
    }
    return back.length;
  },
});
