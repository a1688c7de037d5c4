import type { ErasureSweep, PluginTables } from '../../kernel/plugin-api.ts';
import { EVENTS } from './subscription-store.ts';

const EVENTS_AT_ONCE = 500;

interface EventName {
  readonly seq: number;
  readonly fact_id: string | null;
  readonly status: string;
}

/**
 * Drops undelivered events of erased facts. Delivered ones stay, because they contain nothing of the fact and
 * subscribers resume after them.
 */
export const sweepEvents = (tables: PluginTables): ErasureSweep => ({
  name: 'subscriptions events',
  async step({ tenantId, named }, after, transaction) {
    const own = tables.in(transaction);
    const rows = (await own(EVENTS)
      .where({ tenant_id: tenantId })
      .where('seq', '>', Number(after ?? 0))
      .orderBy('seq')
      .limit(EVENTS_AT_ONCE)
      .select('seq', 'fact_id', 'status')) as readonly EventName[];
    const waiting = rows.filter(({ status, fact_id }) => status !== 'delivered' && fact_id !== null);
    const erased = await named(waiting.map(({ fact_id }) => String(fact_id)));
    const gone = waiting.filter(({ fact_id }) => erased.has(String(fact_id))).map(({ seq }) => seq);
    if (gone.length > 0) await own(EVENTS).where({ tenant_id: tenantId }).whereIn('seq', gone).delete();
    const isOver = rows.length < EVENTS_AT_ONCE;
    return { after: isOver ? null : String(rows.at(-1)?.seq), counts: { events: gone.length } };
  },
});
