import { LIST_BYTES } from '../../../kernel/internal-api.ts';
import {
  all,
  compareHlc,
  equals,
  FACT_RETURNED,
  type FactReader,
  type Filter,
  type Hlc,
  isIn,
  type StoredFact,
} from '../../../kernel/plugin-api.ts';

interface Span {
  readonly after: Hlc;
  readonly filter: Filter;
  readonly limit: number;
}

interface WindowFacts {
  readonly facts: readonly StoredFact[];
  readonly last: { readonly feed: Hlc };
}

interface FeedEntry {
  readonly fact: StoredFact;
  readonly stamp: Hlc;
}

/**
 * Adds to a page the facts that became visible again in its range. Cursors of peers may have passed their original
 * entries while they were hidden. Ends the page early if there are too many.
 */
export const withReturned = async (
  reader: FactReader,
  { facts, last }: WindowFacts,
  { after, filter, limit }: Span,
): Promise<{
  readonly facts: readonly StoredFact[];
  readonly stamps: readonly Hlc[];
  readonly end: Hlc;
  readonly isCut: boolean;
}> => {
  const { snapshot, caller } = reader;
  const { tenantId } = caller;
  const query = { tenantId, kind: FACT_RETURNED.id, after, upTo: last.feed, limit };
  const entries = compareHlc(after, last.feed) < 0 ? await snapshot.announced(query) : [];
  if (entries.length === 0) return { facts, stamps: facts.map(({ feed }) => feed), end: last.feed, isCut: false };
  const ids = [...new Set(entries.map(({ subjectId }) => subjectId))];
  const eligible = await snapshot.outline(all(filter, isIn('id', ids)));
  const sizes = new Map(eligible.flatMap(({ id, cid, valueBytes }) => (cid === '' ? [] : [[id, valueBytes] as const])));
  let bytes = 0;
  let end = entries.length < limit ? last.feed : (entries.at(-1)?.stamp ?? last.feed);
  const wanted = new Map<string, Hlc>();
  for (const { subjectId, stamp } of entries) {
    const size = sizes.get(subjectId);
    if (size === undefined) continue;
    wanted.set(subjectId, stamp);
    bytes += size;
    if (bytes < LIST_BYTES) continue;
    end = stamp;
    break;
  }
  const returned = await readFacts(reader, [...wanted.keys()]);
  const entriesOfPage = [
    ...facts.map((fact): FeedEntry => ({ fact, stamp: fact.feed })),
    ...returned.map((fact): FeedEntry => ({ fact, stamp: wanted.get(fact.id) as Hlc })),
  ]
    .filter(({ stamp }) => compareHlc(stamp, end) <= 0)
    .sort((one, other) => compareHlc(one.stamp, other.stamp));
  // A fact that was hidden and shown again within the page's range has two entries; the first one suffices.
  const seen = new Set<string>();
  const once = entriesOfPage.filter(({ fact: { id } }) => !seen.has(id) && seen.add(id));
  const page = once.slice(0, limit);
  if (once.length > limit) end = (page.at(-1) as FeedEntry).stamp;
  return {
    facts: page.map(({ fact }) => fact),
    stamps: page.map(({ stamp }) => stamp),
    end,
    isCut: compareHlc(end, last.feed) < 0,
  };
};

const readFacts = async ({ snapshot, caller }: FactReader, ids: readonly string[]): Promise<StoredFact[]> => {
  if (ids.length === 0) return [];
  const filter = all(equals('tenantId', caller.tenantId), isIn('id', ids));
  return snapshot.find({ filter, order: 'feed', limit: ids.length });
};
