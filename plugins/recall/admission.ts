import type { FactView } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { type Narrowed, unfitFor } from '../facts/facts-api.ts';
import type { SearchView } from '../search/search-api.ts';
import { effectiveConfidence } from '../source-trust/source-trust-api.ts';

/**
 * Decides which of the facts that the caller sees may be candidates. The part of a view here matters only to recall,
 * not to plugins that link facts.
 */
export interface Admission extends Pick<SearchView, 'scopes' | 'onlyGarden' | 'relationKey' | 'excludedRelationKeys'> {
  readonly includeContradicted: boolean;
  /** The least confidence after trust in the source. */
  readonly minConfidence: number;
  readonly narrowed: Narrowed | undefined;
}

/** The members of a request that leave facts out. */
export const RECALL_FILTERS = [
  'scope',
  'relation',
  'exclude_relations',
  'after',
  'before',
  'sources',
  'sessions',
  'relations',
  'entities',
  'min_confidence',
  'include_contradicted',
] as const;

export type RecallFilter = (typeof RECALL_FILTERS)[number];

/** Returns the member of the request that leaves the fact out; undefined for a candidate. Contradictions come last. */
export const leftOutBy = (view: FactView, admission: Admission): RecallFilter | undefined => {
  const { scopes, onlyGarden, relationKey, excludedRelationKeys = [], narrowed } = admission;
  const { scope, gardenId, relationKey: relation } = view.fact;
  if (!scopes.includes(scope) || (onlyGarden !== undefined && gardenId !== onlyGarden)) return 'scope';
  if (relationKey !== undefined && relation !== relationKey) return 'relation';
  if (excludedRelationKeys.includes(relation)) return 'exclude_relations';
  const unfit = narrowed === undefined ? undefined : unfitFor(view.fact, narrowed);
  if (unfit !== undefined) return unfit;
  if (effectiveConfidence(view) < admission.minConfidence) return 'min_confidence';
  return isContradicted(view) && !admission.includeContradicted ? 'include_contradicted' : undefined;
};
