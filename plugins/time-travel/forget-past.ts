import { eachInTurn, lastStampOf } from '../../kernel/internal-api.ts';
import { type Clock, compareHlc, DEFAULT_TENANT, type HookCaller, type PluginTables } from '../../kernel/plugin-api.ts';
import { pastDrop } from './time-travel-api.ts';

/** The maximum number of rows per table that one transaction deletes. */
export const ROWS_PER_PIECE = 1_000;

const DAY_MS = 86_400_000;

export interface ForgettingParts {
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly hooks: HookCaller;
  readonly retentionDays: number;
}

/**
 * Moves the floor of the past to this many whole days ago, and deletes rows that only reads of earlier moments need.
 * The floor moves first, so a read of an earlier moment is refused and never finds a part of its rows. Keeps all facts
 * and all rows in use.
 */
export const forgetPast = async ({ tables, clock, hooks, retentionDays }: ForgettingParts): Promise<void> => {
  const floor = lastStampOf((Math.floor(clock.nowMs() / DAY_MS) - retentionDays) * DAY_MS - 1);
  const reached = await tables.read((_own, snapshot) => snapshot.pastFloor());
  if (compareHlc(floor, reached) <= 0) return;
  await tables.write(DEFAULT_TENANT, (_own, transaction) => transaction.raisePastFloor(floor));
  const ends = await tables.read((_own, snapshot) => snapshot.ledgerEnds());
  await eachInTurn(ends, async ({ tenantId }) => {
    for (let dropped = 1; dropped > 0; ) {
      const rows = await tables.writeUnlessErased(tenantId, async (_own, transaction) => {
        const piece = { tenantId, before: floor, limit: ROWS_PER_PIECE, transaction };
        const others = await hooks.collect(pastDrop, piece);
        return others.reduce((sum, rows) => sum + rows, await transaction.dropPast(ROWS_PER_PIECE));
      });
      dropped = rows ?? 0;
    }
  });
};
