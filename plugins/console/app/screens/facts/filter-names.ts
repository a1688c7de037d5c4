import { NARROWING } from '../../kit/narrowing.ts';

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
  ...NARROWING,
] as const;

export type FilterName = (typeof FILTERS)[number];

/** The filters that a recall supports. Others do not apply during a search. */
const SEARCHED: readonly FilterName[] = ['entity', 'relation', 'scope', 'garden_id', 'min_confidence', ...NARROWING];

export const holdsInSearch = (name: FilterName): boolean => SEARCHED.includes(name);

/** Kinds of facts that a list includes only on request. */
export const SWITCHES = ['include_expired', 'include_retracted'] as const;
