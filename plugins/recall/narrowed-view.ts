import { all, type FactReader, memberRefusal } from '../../kernel/plugin-api.ts';
import {
  LISTED_FIELDS,
  NARROWING_LISTS,
  type Narrowed,
  type NarrowingList,
  narrowingFilter,
} from '../facts/facts-api.ts';
import type { SearchView } from '../search/search-api.ts';

/** The most names that the beginnings of one list may stand for. An index compares whole names. */
const MOST_NAMES = 50_000;

/** The member of a view that holds the names of each list. */
const VIEW_MEMBERS = {
  sources: 'sourceKeys',
  sessions: 'sessionIds',
  relations: 'relationKeys',
  entities: 'entityKeys',
} as const satisfies Record<NarrowingList, keyof SearchView>;

/**
 * Returns the members of a view for a narrowing. Beginnings of names become the names of live facts that the reader
 * sees and that fit the narrowing, so hidden facts count for nothing. Throws a refusal if these are too many.
 */
export const narrowedView = async (
  narrowed: Narrowed | undefined,
  reader: FactReader,
  place: 'body' | 'query',
): Promise<Partial<SearchView>> => {
  if (narrowed === undefined) return {};
  const { afterMs, beforeMs, assertedBy } = narrowed;
  const named = await Promise.all(
    NARROWING_LISTS.map(async (list) => {
      const patterns = narrowed[list];
      if (patterns === undefined) return [];
      const begun = await Promise.all(
        patterns.prefixes.map((prefix) => namesOf(list, prefix, narrowed, reader, place)),
      );
      return [[VIEW_MEMBERS[list], [...new Set([...patterns.exact, ...begun.flat()])]] as const];
    }),
  );
  return { afterMs, beforeMs, assertedBy, ...Object.fromEntries(named.flat()) };
};

const namesOf = async (
  list: NarrowingList,
  prefix: string,
  narrowed: Narrowed,
  reader: FactReader,
  place: 'body' | 'query',
): Promise<readonly string[]> => {
  const names = await reader.snapshot.texts({
    tenantId: reader.caller.tenantId,
    field: LISTED_FIELDS[list],
    prefix,
    filter: all(await reader.constraint('live'), narrowingFilter(narrowed)),
    limit: MOST_NAMES + 1,
  });
  if (names.length <= MOST_NAMES) return names;
  throw memberRefusal(`${place}.${list}`, `has a beginning of more than ${MOST_NAMES} names`, 'validation', {
    status: place === 'body' ? 422 : 400,
    hint: 'write more of the name before the star, or narrow by other members too, for example by relations',
  });
};
