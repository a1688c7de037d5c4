import type { PluginTables } from '../../kernel/plugin-api.ts';
import type { PastPiece } from '../time-travel/time-travel-api.ts';
import { PAST_WINS } from './timeline-rows.ts';

/**
 * Deletes stored winners that ended before the given stamp, oldest first. The rows have no key, so it deletes all rows
 * of one millisecond together.
 */
export const dropPastWins = async (
  { tenantId, before, limit, transaction }: PastPiece,
  tables: PluginTables,
): Promise<number> => {
  const ended = () =>
    tables.in(transaction)(PAST_WINS).where({ tenant_id: tenantId }).where('until_wall', '<=', before.wallMs);
  const rows: readonly { readonly until_wall: number | string }[] = await ended()
    .orderBy('until_wall')
    .limit(limit)
    .select('until_wall');
  const last = rows.at(-1);
  if (last === undefined) return 0;
  return Number(await ended().where('until_wall', '<=', Number(last.until_wall)).delete());
};
