import type { Filter } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { othersGoFirst } from '../time/in-turns.ts';

/** Numbers of a ledger in one piece: a statement over it takes some milliseconds, whatever the filter costs. */
const PIECE_NUMBERS = 2_000;

/** A part of the ledger of a tenant, as `ledger` and `ledgerCount` take it. */
export interface LedgerPiece {
  readonly tenantId: string;
  /** Only numbers strictly above it. */
  readonly above: number;
  /** Only numbers strictly below it. */
  readonly below: number;
}

/**
 * The ledger of a tenant in pieces, for work over all facts that must not hold the event loop: others have a turn
 * before each piece. `upTo` is the highest number, `above` the place to go on from.
 */
export async function* ledgerPieces(
  tenantId: string,
  { above = 0, upTo, order = 'oldest' }: { above?: number; upTo: number; order?: 'oldest' | 'newest' },
): AsyncGenerator<LedgerPiece> {
  const count = Math.ceil((upTo - above) / PIECE_NUMBERS);
  for (let at = 0; at < count; at++) {
    await othersGoFirst();
    const from = above + (order === 'oldest' ? at : count - 1 - at) * PIECE_NUMBERS;
    yield { tenantId, above: from, below: Math.min(from + PIECE_NUMBERS, upTo) + 1 };
  }
}

/**
 * Whether more than `most` facts of a tenant satisfy the filter. Stops as soon as that is known, and looks into no
 * ledger that is too short for it.
 */
export const areMoreThan = async (
  most: number,
  filter: Filter,
  { tenantId, snapshot }: { readonly tenantId: string; readonly snapshot: PluginSnapshot },
): Promise<boolean> => {
  const { number: upTo } = await snapshot.ledgerHead(tenantId);
  if (upTo <= most) return false;
  let count = 0;
  for await (const piece of ledgerPieces(tenantId, { upTo })) {
    count += await snapshot.ledgerCount({ ...piece, filter });
    if (count > most) return true;
  }
  return false;
};
