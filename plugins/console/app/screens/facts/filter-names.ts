/** The members by which facts are filtered, in the order of the choice. */
export const FILTERS = [
  'entity',
  'relation',
  'source',
  'scope',
  'garden_id',
  'session',
  'min_confidence',
  'attested',
  'after',
] as const;

export type FilterName = (typeof FILTERS)[number];

/** Those that a recall knows: the others do not hold while the reader searches. */
const SEARCHED: readonly FilterName[] = ['entity', 'relation', 'scope', 'garden_id', 'min_confidence'];

export const holdsInSearch = (name: FilterName): boolean => SEARCHED.includes(name);

/** Those that keep or leave out a place as a whole, so that what won there is in the list with what it won over. */
const KEEP_PLACES: readonly FilterName[] = ['entity', 'relation', 'scope', 'garden_id'];

export const keepsPlaces = (name: FilterName): boolean => KEEP_PLACES.includes(name);

/** What a list leaves out unless the reader wants it. */
export const SWITCHES = ['include_expired', 'include_retracted'] as const;
