import type { PluginTables, SuppressedFacts } from '../../../kernel/plugin-api.ts';
import { HIDDEN } from '../markers/marker-tables.ts';
import { hiddenAmong, hiddenSystemAmong } from './hidden-rows.ts';

export const createSuppressedFacts = (tables: PluginTables, isSuppressing: boolean): SuppressedFacts => ({
  isSuppressing,
  async among(snapshot, facts) {
    const own = tables.in(snapshot);
    const hidden = [...(await hiddenAmong(own, facts)).keys(), ...(await hiddenSystemAmong(own, facts))];
    return [...new Set(hidden)];
  },
  async entitiesOf(snapshot, tenantId, tombstoneId) {
    const of = { tenant_id: tenantId, tombstone_id: tombstoneId };
    const rows = await tables.in(snapshot).select(HIDDEN, of);
    return [...new Set(rows.map((row) => String(row['entity_key'])))];
  },
  async entitiesAfter(snapshot, { tenantId, entityKey }, limit) {
    const rows = await tables
      .in(snapshot)(HIDDEN)
      .distinct('tenant_id', 'entity_key')
      .where('tenant_id', '>=', tenantId)
      .whereNot((before) => before.where('tenant_id', tenantId).where('entity_key', '<=', entityKey))
      .orderBy(['tenant_id', 'entity_key'])
      .limit(limit);
    return rows.map((row) => ({ tenantId: String(row['tenant_id']), entityKey: String(row['entity_key']) }));
  },
});
