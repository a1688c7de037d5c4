import type { FoundEntity } from './found-entities.ts';

export const ORDERS = ['match', 'name', 'facts'] as const;
export type Order = (typeof ORDERS)[number];

/** The part of a name before its first colon; empty for a name without one. */
export const kindOf = (uri: string): string => {
  const end = uri.indexOf(':');
  return end < 0 ? '' : uri.slice(0, end);
};

/** The kinds of entities with their numbers, the most frequent first. */
export const kindsOf = (found: readonly FoundEntity[]): readonly (readonly [kind: string, count: number])[] => {
  const counts = new Map<string, number>();
  for (const { uri } of found) counts.set(kindOf(uri), (counts.get(kindOf(uri)) ?? 0) + 1);
  return [...counts].toSorted(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
};

/** The entities in an order. `match` leaves them as the node found them. */
export const inOrder = (found: readonly FoundEntity[], order: Order): readonly FoundEntity[] => {
  if (order === 'name') return found.toSorted((a, b) => a.uri.localeCompare(b.uri));
  return order === 'facts' ? found.toSorted((a, b) => b.count - a.count) : found;
};
