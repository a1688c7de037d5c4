import type { NextChangeQuestion } from '../../kernel/internal-api.ts';
import type { PluginTables } from '../../kernel/plugin-api.ts';
import { WINS } from './timeline-rows.ts';

/** Returns the next instant at which a triple of the entity changes its winner or its contradiction ends. */
export const nextWinnerChange = async (
  { caller, entityKey, snapshot, nowMs }: NextChangeQuestion,
  tables: PluginTables,
): Promise<number | undefined> => {
  const rows = await tables.in(snapshot).select(WINS, { tenant_id: caller.tenantId, entity_key: entityKey });
  let next: number | undefined;
  for (const row of rows) {
    for (const column of ['from_ms', 'until_ms', 'contested_until_ms']) {
      const instant = Number(row[column]);
      if (instant > nowMs && instant < (next ?? Number.POSITIVE_INFINITY)) next = instant;
    }
  }
  return next;
};
