import type { FactNarrowing, NarrowingList } from './fact-narrowing.ts';
import { MOST_VALUES, NARROWING_LISTS } from './fact-narrowing.ts';

/** The members of a narrowing, as requests spell them. Null counts as absent. */
export type RawNarrowing = { readonly [member in keyof FactNarrowing]?: FactNarrowing[member] | null };

const SUMMARIES: Readonly<Record<NarrowingList, string>> = {
  sources: 'Sources, or beginnings of sources followed by a star.',
  sessions: 'Sessions of the caller, or beginnings of their names followed by a star.',
  relations: 'Relations, or beginnings of relations followed by a star.',
  entities: 'Entities, or beginnings of entities followed by a star.',
};

const AFTER = 'An instant: facts that speak of a later time, by `valid_from` or else their timestamp.';
const BEFORE = 'An instant: facts that speak of an earlier time.';

const listsOf = <T>(type: T) =>
  Object.fromEntries(
    NARROWING_LISTS.map((list) => [
      list,
      { type, items: { type: 'string' }, description: `${SUMMARIES[list]} At most ${MOST_VALUES}.` },
    ]),
  ) as Record<NarrowingList, { type: T; items: { type: 'string' }; description: string }>;

/** Describes a narrowing as members of a body. */
export const NARROWING_BODY = {
  after: { type: ['string', 'null'], description: AFTER },
  before: { type: ['string', 'null'], description: BEFORE },
  ...listsOf(['array', 'null']),
} as const;

/** Describes a narrowing as parameters of a query; a list repeats its parameter. */
export const NARROWING_QUERY = {
  after: { type: 'string', description: AFTER },
  before: { type: 'string', description: BEFORE },
  ...listsOf('array'),
} as const;

/** Returns the members of a request that narrow. */
export const narrowingOf = ({
  after,
  before,
  sources,
  sessions,
  relations,
  entities,
}: RawNarrowing): FactNarrowing => ({
  after: after ?? undefined,
  before: before ?? undefined,
  sources: sources ?? undefined,
  sessions: sessions ?? undefined,
  relations: relations ?? undefined,
  entities: entities ?? undefined,
});
