import { type Facts, requireLimit, requirePermission } from '../../kernel/plugin-api.ts';
import type { BillingLedger } from './billing-api.ts';
import type { BillingStore } from './billing-store.ts';

export const MAX_EVENTS = 1_000;
export const DEFAULT_EVENTS = 200;

/** The ledger for callers. */
export const createLedger = (store: BillingStore, facts: Facts): BillingLedger => ({
  async events(caller, filter, { beforeSeq, limit = DEFAULT_EVENTS } = {}) {
    requirePermission(caller, 'admin');
    requireLimit(limit, MAX_EVENTS);
    const wanted = { ...filter, tenantId: caller.tenantId };
    return facts.read(caller, 'query', async ({ snapshot }) => {
      const found = await store.newestFirst(wanted, beforeSeq, limit + 1, snapshot);
      const total = await store.count(wanted, snapshot);
      return { events: found.slice(0, limit), total, more: found.length > limit };
    });
  },
});
