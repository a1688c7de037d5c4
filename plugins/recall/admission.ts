import type { FactView } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
import { type Narrowed, unfitFor } from '../facts/facts-api.ts';
import type { SearchView } from '../search/search-api.ts';
import { effectiveConfidence } from '../source-trust/source-trust-api.ts';

/**
 * The filters of a recall. A fact that the caller sees becomes a candidate only if it passes all of them. They do not
 * restrict the facts through which plugins expand the graph.
 */
export interface Admission extends Pick<SearchView, 'scopes' | 'onlyGarden' | 'relationKey' | 'excludedRelationKeys'> {
  readonly includeContradicted: boolean;
  /** The minimum confidence, after it was weighted by the trust in the source. */
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

/**
 * Returns the first request member that excludes the fact; undefined for a candidate. Checks contradictions last, so
 * that `include_contradicted` is returned only for a fact that passes every other filter.
 */
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
