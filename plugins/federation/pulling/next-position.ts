import { isTooFarAhead, parseHlc } from '../../../kernel/internal-api.ts';
import { compareHlc, type Hlc } from '../../../kernel/plugin-api.ts';
import type { FetchedPage } from './fetch-page.ts';

/**
 * The state of a pull. `position` is the cursor of the next request. It may be earlier than the saved cursor, to read
 * the last entries again.
 */
export interface PullPosition {
  readonly position: string | null;
  readonly saved: string | null;
  readonly epoch: string | null;
}

export type NextPosition =
  /** The pull continues; `saved` must be stored with the facts of the page. */
  | { readonly kind: 'advance'; readonly position: string; readonly saved: string; readonly epoch: string | null }
  /** The peer's history changed or lost a part, so the pull restarts from the beginning. */
  | { readonly kind: 'restart'; readonly epoch: string | null }
  | { readonly kind: 'stay'; readonly epoch: string | null; readonly problem?: string };

const CURSOR_AHEAD =
  'the peer sent a cursor that lies too far ahead; its clock is or was ahead of the clock of this node, and its newer ' +
  'facts wait until that time has come';

/**
 * Accepts a peer's cursor only if it is well-formed, greater than the requested one, and no further in the future than
 * stamps may be.
 */
export const nextPosition = (
  { position, saved, epoch: knownEpoch }: PullPosition,
  page: Pick<FetchedPage, 'cursor' | 'epoch' | 'hasMore' | 'facts'>,
  { nowMs, maxStampLeadMs }: { readonly nowMs: number; readonly maxStampLeadMs: number },
): NextPosition => {
  const epoch = page.epoch ?? knownEpoch;
  if (saved !== null && knownEpoch !== null && epoch !== knownEpoch) return { kind: 'restart', epoch };
  if (page.cursor == null) return { kind: 'stay', epoch };
  const next = typeof page.cursor === 'string' ? parseHlc(page.cursor) : null;
  if (next === null) return { kind: 'stay', epoch, problem: 'the peer sent a cursor that is no stamp' };
  if (isTooFarAhead(next, nowMs, maxStampLeadMs)) {
    return { kind: 'stay', epoch, problem: CURSOR_AHEAD };
  }
  const text = page.cursor as string;
  const order = position === null ? 1 : compareHlc(next, parseHlc(position) as Hlc);
  if (order > 0) return { kind: 'advance', position: text, saved: laterOf(text, saved), epoch };
  // The peer's feed ends before a position that it has served before, so its history was replaced.
  if (order < 0 && page.facts.length === 0 && !page.hasMore) return { kind: 'restart', epoch };
  return { kind: 'stay', epoch };
};

/**
 * Returns the cursor of the first request. A peer without an epoch may have added facts to the last millisecond that
 * was read, so that millisecond is read again.
 */
export const firstPosition = ({ saved, epoch }: Pick<PullPosition, 'saved' | 'epoch'>): string | null =>
  saved === null || epoch !== null ? saved : `${saved.split('.')[0]}.0`;

const laterOf = (text: string, saved: string | null): string =>
  saved !== null && compareHlc(parseHlc(text) as Hlc, parseHlc(saved) as Hlc) < 0 ? saved : text;
