import type { Clock, Principal } from '../../ports/ports.ts';
import type { CursorCodec, CursorPosition } from './page-cursor.ts';
import { type SpelledList, spellList } from './spelled-list.ts';

/** The cursors of one request, valid for its caller, path and filters alone. */
export interface BoundCursor {
  /** Where the last page ended, undefined on the first one. */
  readonly position: CursorPosition | undefined;
  /**
   * Returns a page of `found`, as far as the body has room, and the cursor of the next one, null at the end. `found`
   * has one row more than `limit`, to tell whether rows follow.
   */
  page<T>(found: readonly T[], limit: number, how: PageForm<T>): Page<T>;
  /** The cursor after a position. */
  after(position: CursorPosition): string;
}

export interface PageForm<T> {
  /** A row's place in the order. */
  positionOf(row: T): CursorPosition;
  toJson(row: T): unknown;
  /** Whether rows follow that were not read, because the body has no room for them. */
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
  /** How long a cursor is valid; for ever without it. */
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
    page: (found, limit, { positionOf, toJson, more = false }) => {
      const list = spellList(found.slice(0, limit), toJson);
      const rows = found.slice(0, list.count);
      const last = rows.at(-1);
      const follows = more || found.length > list.count;
      return { rows, list, cursor: follows && last !== undefined ? after(positionOf(last)) : null };
    },
  };
};
