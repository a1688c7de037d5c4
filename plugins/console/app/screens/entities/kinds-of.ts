import type { FoundEntity } from './found-entities.ts';

export const ORDERS = ['match', 'name', 'facts'] as const;
export type Order = (typeof ORDERS)[number];

/** The part of a name before its first colon; empty for a name without one. */
export const kindOf = (uri: string): string => {
  const end = uri.indexOf(':');
  return end < 0 ? '' : uri.slice(0, end);
};

/** The number of entities of a kind; empty for entities without one. */
export interface KindCount {
  readonly kind: string;
  readonly count: number;
  /** True if there are more than were counted. */
  readonly isMore: boolean;
}

/** The kinds of these entities with their numbers. */
export const kindsOf = (found: readonly FoundEntity[]): readonly KindCount[] => {
  const counts = new Map<string, number>();
  for (const { uri } of found) counts.set(kindOf(uri), (counts.get(kindOf(uri)) ?? 0) + 1);
  return [...counts].map(([kind, count]) => ({ kind, count, isMore: false }));
};

/** The most frequent first. */
export const byCount = (kinds: readonly KindCount[]): readonly KindCount[] =>
  kinds.toSorted((a, b) => b.count - a.count || Number(b.isMore) - Number(a.isMore) || (a.kind < b.kind ? -1 : 1));

/** All kinds together. */
export const sumOf = (kinds: readonly KindCount[]): KindCount => ({
  kind: '',
  count: kinds.reduce((sum, { count }) => sum + count, 0),
  isMore: kinds.some(({ isMore }) => isMore),
});

/** The entities in an order. `match` leaves them as the node found them. */
export const inOrder = (found: readonly FoundEntity[], order: Order): readonly FoundEntity[] => {
  if (order === 'name') return found.toSorted((a, b) => a.uri.localeCompare(b.uri));
  return order === 'facts' ? found.toSorted((a, b) => b.count - a.count) : found;
};
