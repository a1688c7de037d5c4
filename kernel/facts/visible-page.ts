import type { StoredFact } from '../../ports/fact.ts';
import { all, isIn } from '../../ports/fact-filter.ts';
import { LIST_BYTES } from '../http/spelled-list.ts';
import type { FactReader } from './reader-api.ts';
import { valueBytesOf } from './value-bytes.ts';

/** Facts by their ids, for a list whose order is not that of the facts. */
export interface VisiblePage {
  /** In no order. */
  readonly facts: readonly StoredFact[];
  /**
   * Ids whose facts were not read because the ones before them leave no room: the list must end before the first of
   * them.
   */
  readonly beyond: ReadonlySet<string>;
}

/**
 * The facts among the ids that the reader may see, as far, in the order of the ids, as their values have room in the
 * body of a list. The first one always comes. `order` is that of the feed which the ids follow for the most part: where
 * they do, nothing is read in vain.
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

/** How many of the ids come before the first one whose value would go beyond the bytes. */
const countWithin = (ids: readonly string[], sizes: ReadonlyMap<string, number>, maxBytes: number): number => {
  let bytes = 0;
  for (const [at, id] of ids.entries()) {
    const size = sizes.get(id) ?? 0;
    if (bytes > 0 && bytes + size > maxBytes) return at;
    bytes += size;
  }
  return ids.length;
};
