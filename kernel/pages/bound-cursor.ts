import type { Clock, Principal } from '../../ports/ports.ts';
import type { CursorCodec, CursorPosition } from './page-cursor.ts';
import { type SpelledList, spellList } from './spelled-list.ts';

/** The cursors of one request, valid only for its caller, path and filters. */
export interface BoundCursor {
  /** The end of the last page; undefined on the first one. */
  readonly position: CursorPosition | undefined;
  /**
   * Returns a page of `found`, as far as it fits into the body, and the cursor of the next page, null at the end.
   * `found` has one more row than `limit`, to show whether rows follow.
   */
  page<T>(found: readonly T[], limit: number, how: PageForm<T>): Promise<Page<T>>;
  /** Returns the cursor after a position. */
  after(position: CursorPosition): string;
}

export interface PageForm<T> {
  /** Returns the position of a row in the order. */
  positionOf(row: T): CursorPosition;
  toJson(row: T): unknown;
  /** Whether further rows were not read, because the body has no room for them. */
  readonly more?: boolean;
}

export interface Page<T> {
  readonly rows: readonly T[];
  /** The rows as JSON, for a member of the body. */
  readonly list: SpelledList;
  readonly cursor: string | null;
}

export interface CursorParts {
  readonly cursors: CursorCodec;
  readonly clock: Pick<Clock, 'nowMs'>;
  /** The milliseconds for which a cursor is valid. Default: without end. */
  readonly lifetimeMs?: number;
}

/**
 * Reads the `cursor` of a request. `filters` narrow the list, without cursor and limit: the page size may change
 * between pages. Throws as `CursorCodec.decode` does.
 */
export const bindCursor = (
  { caller, path }: { readonly caller: Principal; readonly path: string },
  cursor: string | undefined,
  filters: unknown,
  { cursors, clock, lifetimeMs }: CursorParts,
): BoundCursor => {
  const binding = JSON.stringify([path, caller.tenantId, caller.entityUri, filters]);
  const after = (position: CursorPosition): string =>
    cursors.encode({
      position,
      binding,
      ...(lifetimeMs === undefined ? {} : { expiresMs: clock.nowMs() + lifetimeMs }),
    });
  return {
    position: cursor === undefined ? undefined : cursors.decode(cursor, { binding, nowMs: clock.nowMs() }),
    after,
    page: async (found, limit, { positionOf, toJson, more = false }) => {
      const list = await spellList(found.slice(0, limit), toJson);
      const rows = found.slice(0, list.count);
      const last = rows.at(-1);
      const follows = more || found.length > list.count;
      return { rows, list, cursor: follows && last !== undefined ? after(positionOf(last)) : null };
    },
  };
};
