import type { StoredFact } from '../../ports/fact.ts';
import { all, isIn } from '../../ports/fact-filter.ts';
import { LIST_BYTES } from '../pages/spelled-list.ts';
import type { FactReader } from './reader-api.ts';
import { valueBytesOf } from './value-bytes.ts';

/** Facts read by id, for a list with its own order. */
export interface VisiblePage {
  /** The facts, in no order. */
  readonly facts: readonly StoredFact[];
  /** The ids that were not read because earlier facts fill the page. The list must end before the first of them. */
  readonly beyond: ReadonlySet<string>;
}

/**
 * Reads the visible facts among the ids, in their order, up to the byte limit of a list body. Always reads the first
 * one. `order` is the feed order that the ids mostly follow: if they do, no read is wasted.
 */
export const readVisiblePage = async (
  reader: FactReader,
  ids: readonly string[],
  order: 'oldest' | 'newest' = 'oldest',
  maxBytes: number = LIST_BYTES,
): Promise<VisiblePage> => {
  const unique = [...new Set(ids)];
  if (unique.length === 0) return { facts: [], beyond: new Set() };
  const visible = all(await reader.constraint('visible'), isIn('id', unique));
  const { snapshot } = reader;
  const facts = await snapshot.find({ filter: visible, order: ORDERS[order], limit: unique.length, maxBytes });
  if (valueBytesOf(facts) < maxBytes) return { facts, beyond: new Set() };
  const sizes = new Map((await snapshot.outline(visible)).map(({ id, valueBytes }) => [id, valueBytes]));
  const room = countWithin(unique, sizes, maxBytes);
  const found = new Map(facts.map((fact) => [fact.id, fact]));
  const missing = unique.slice(0, room).filter((id) => sizes.has(id) && !found.has(id));
  if (missing.length > 0) {
    const filter = all(visible, isIn('id', missing));
    for (const fact of await snapshot.find({ filter, order: 'feed', limit: room })) found.set(fact.id, fact);
  }
  return { facts: unique.slice(0, room).flatMap((id) => found.get(id) ?? []), beyond: new Set(unique.slice(room)) };
};

const ORDERS = { oldest: 'feed', newest: 'hlc' } as const;

/** Counts the ids before the first value that exceeds the byte limit. */
const countWithin = (ids: readonly string[], sizes: ReadonlyMap<string, number>, maxBytes: number): number => {
  let bytes = 0;
  for (const [at, id] of ids.entries()) {
    const size = sizes.get(id) ?? 0;
    if (bytes > 0 && bytes + size > maxBytes) return at;
    bytes += size;
  }
  return ids.length;
};
