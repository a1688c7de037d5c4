import type { PluginTables } from '../../kernel/plugin-api.ts';
import type { PastPiece } from '../time-travel/time-travel-api.ts';
import { PAST_REIGNS } from './standing-rows.ts';

/**
 * Deletes reigns that ended before the floor, oldest first, by the millisecond in which they ended: the rows have no
 * key of their own, and those of one millisecond go together.
 */
export const dropPastReigns = async (
  { tenantId, before, limit, transaction }: PastPiece,
  tables: PluginTables,
): Promise<number> => {
  const ended = () =>
    tables.in(transaction)(PAST_REIGNS).where({ tenant_id: tenantId }).where('until_wall', '<=', before.wallMs);
  const rows: readonly { readonly until_wall: number | string }[] = await ended()
    .orderBy('until_wall')
    .limit(limit)
    .select('until_wall');
  const last = rows.at(-1);
  if (last === undefined) return 0;
  return Number(await ended().where('until_wall', '<=', Number(last.until_wall)).delete());
};
