import { type HiddenEntity, othersGoFirst, type TriplePosition } from '../../../kernel/internal-api.ts';
import { all, equals, isIn, type PluginSnapshot, type StoredFact } from '../../../kernel/plugin-api.ts';

export interface WalkedPage {
  /** The maximum number of facts, and the maximum bytes of their values. */
  readonly facts: number;
  readonly bytes: number;
  /** Reads some facts and handles them, in one snapshot or transaction. Resolves with the facts. */
  handle(read: (snapshot: PluginSnapshot) => Promise<readonly StoredFact[]>): Promise<readonly StoredFact[]>;
}

/**
 * Handles all facts about an entity, page by page. The pages follow the index on triples, because pages in the order of
 * the feed would each read and sort all facts about the entity.
 */
export const walkEntity = async (
  { tenantId, entityKey }: HiddenEntity,
  read: <T>(work: (snapshot: PluginSnapshot) => Promise<T>) => Promise<T>,
  page: WalkedPage,
): Promise<void> => {
  const filter = equals('entityKey', entityKey);
  for (let after: TriplePosition | undefined; ; ) {
    const query = { tenantId, filter, after, limit: page.facts };
    const found = await read((snapshot) => snapshot.outlineByTriple(query));
    await handleAll(
      tenantId,
      found.map(({ id }) => id),
      page,
    );
    if (found.length < page.facts) return;
    after = found.at(-1);
    await othersGoFirst();
  }
};

/** Handles the facts with these ids, as many at once as the page has room for their values. */
export const handleAll = async (tenantId: string, ids: readonly string[], page: WalkedPage): Promise<void> => {
  const left = new Set(ids);
  while (left.size > 0) {
    const some = [...left].slice(0, page.facts);
    const filter = all(equals('tenantId', tenantId), isIn('id', some));
    const facts = await page.handle((snapshot) =>
      snapshot.find({ filter, order: 'feed', limit: some.length, maxBytes: page.bytes }),
    );
    for (const { id } of facts) left.delete(id);
    if (facts.length === 0) return;
  }
};
