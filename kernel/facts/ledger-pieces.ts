import type { Filter } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { othersGoFirst } from '../time/in-turns.ts';

/** Ledger numbers in one piece: a statement over them takes some milliseconds with any filter. */
const PIECE_NUMBERS = 2_000;

/** A range of the ledger of a tenant, for `ledger` and `ledgerCount`. */
export interface LedgerPiece {
  readonly tenantId: string;
  /** Only numbers strictly above it. */
  readonly above: number;
  /** Only numbers strictly below it. */
  readonly below: number;
}

/**
 * Yields the ledger of a tenant in pieces, for work over all facts. Other work of the event loop runs before each
 * piece. `upTo` is the highest number, `above` the place to go on from.
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
 * Whether more than `most` facts of a tenant satisfy the filter. Stops as soon as the answer is certain, and skips a
 * ledger that is shorter.
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
