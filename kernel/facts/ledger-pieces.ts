import { othersGoFirst } from '../../ports/others-first.ts';
import type { Filter } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';

/** The number of ledger entries in one piece. A statement over a piece takes some milliseconds with any filter. */
const PIECE_NUMBERS = 2_000;

/** A range of a tenant's ledger, for `ledger` and `ledgerCount`. */
export interface LedgerPiece {
  readonly tenantId: string;
  /** The range begins strictly above this number. */
  readonly above: number;
  /** The range ends strictly below this number. */
  readonly below: number;
}

/**
 * Yields the ledger of a tenant in pieces, and lets other work of the event loop run before each. `upTo` is the highest
 * number, `above` the position to continue from.
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
 * Returns whether more than `most` facts of a tenant match the filter. Stops as soon as the answer is certain, and does
 * not read a ledger that is shorter.
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
