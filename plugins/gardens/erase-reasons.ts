import { ownedBy } from '../../kernel/internal-api.ts';
import type { ErasedFacts, PluginTables } from '../../kernel/plugin-api.ts';
import { QUARANTINED } from './gardens-migrations.ts';

/** Erases the reasons that moderators wrote for erased facts, because a reason may quote the fact. */
export const eraseReasons = async ({ tenantId, facts, transaction }: ErasedFacts, tables: PluginTables) => {
  const ids = facts.map(({ id }) => id);
  const own = tables.in(transaction);
  await own(QUARANTINED)
    .where({ tenant_id: tenantId })
    .whereIn('fact_id', ids)
    .update({ reason: '', ...ownedBy(null) });
};
