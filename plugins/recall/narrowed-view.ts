import { all, type FactReader, type Filter, memberRefusal } from '../../kernel/plugin-api.ts';
import {
  LISTED_FIELDS,
  NARROWING_LISTS,
  type Narrowed,
  type NarrowingList,
  narrowingFilter,
} from '../facts/facts-api.ts';
import type { SearchView } from '../search/search-api.ts';

/**
 * The maximum number of names to which the prefixes of one list may expand, because an index compares only whole names.
 */
const MOST_NAMES = 50_000;

/** The member of a view that holds the names of each list. */
const VIEW_MEMBERS = {
  sources: 'sourceKeys',
  sessions: 'sessionIds',
  relations: 'relationKeys',
  entities: 'entityKeys',
} as const satisfies Record<NarrowingList, keyof SearchView>;

/**
 * Returns the members of a search view for a narrowing. Expands each prefix to the names of live facts that the reader
 * sees and that match the narrowing, so that a refusal reveals nothing about hidden facts. Throws a refusal if one list
 * expands to more than `mostNames` names.
 */
export const narrowedView = async (
  narrowed: Narrowed | undefined,
  reader: FactReader,
  place: 'body' | 'query',
  mostNames = MOST_NAMES,
): Promise<Partial<SearchView>> => {
  if (narrowed === undefined) return {};
  const { afterMs, beforeMs, assertedBy } = narrowed;
  const filter = all(await reader.constraint('live'), narrowingFilter(narrowed));
  const named: [keyof SearchView, readonly string[]][] = [];
  for (const list of NARROWING_LISTS) {
    const patterns = narrowed[list];
    if (patterns === undefined) continue;
    const begun = await namesOf(list, outermost(patterns.prefixes), { reader, filter, place, mostNames });
    named.push([VIEW_MEMBERS[list], [...new Set([...patterns.exact, ...begun])]]);
  }
  return { afterMs, beforeMs, assertedBy, ...Object.fromEntries(named) };
};

/** Removes each prefix that begins with another prefix, because the shorter one covers its names. */
const outermost = (prefixes: readonly string[]): readonly string[] =>
  prefixes.filter((prefix) => !prefixes.some((other) => other !== prefix && prefix.startsWith(other)));

interface NamesRead {
  readonly reader: FactReader;
  readonly filter: Filter;
  readonly place: 'body' | 'query';
  readonly mostNames: number;
}

/** Reads the prefixes one after another. All prefixes of a list share the limit of `mostNames` names. */
const namesOf = async (
  list: NarrowingList,
  prefixes: readonly string[],
  { reader, filter, place, mostNames }: NamesRead,
): Promise<readonly string[]> => {
  const { tenantId } = reader.caller;
  const found: string[] = [];
  for (const prefix of prefixes) {
    const limit = mostNames - found.length + 1;
    const names = await reader.snapshot.texts({ tenantId, field: LISTED_FIELDS[list], prefix, filter, limit });
    if (names.length === limit) throw tooMany(list, place, mostNames);
    for (const name of names) found.push(name);
  }
  return found;
};

const tooMany = (list: NarrowingList, place: 'body' | 'query', mostNames: number) =>
  memberRefusal(`${place}.${list}`, `has beginnings that stand for more than ${mostNames} names`, 'validation', {
    status: place === 'body' ? 422 : 400,
    hint: 'write more of each name before its star, send fewer beginnings, or narrow by other members too, for example by relations',
  });
