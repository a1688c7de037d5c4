import type { FactView } from '../../kernel/plugin-api.ts';
import { isContradicted } from '../conflicts/conflicts-api.ts';
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
  /** The beginning of the match key of each entity. */
  readonly keyPrefix: string;
}

/** The members of a request that leave facts out. */
export const RECALL_FILTERS = [
  'scope',
  'relation',
  'exclude_relations',
  'entity_prefix',
  'min_confidence',
  'include_contradicted',
] as const;

export type RecallFilter = (typeof RECALL_FILTERS)[number];

/** Returns the member of the request that leaves the fact out; undefined for a candidate. Contradictions come last. */
export const leftOutBy = (view: FactView, admission: Admission): RecallFilter | undefined => {
  const { scopes, onlyGarden, relationKey, excludedRelationKeys = [], keyPrefix } = admission;
  const { scope, gardenId, relationKey: relation, entityKey } = view.fact;
  if (!scopes.includes(scope) || (onlyGarden !== undefined && gardenId !== onlyGarden)) return 'scope';
  if (relationKey !== undefined && relation !== relationKey) return 'relation';
  if (excludedRelationKeys.includes(relation)) return 'exclude_relations';
  if (!entityKey.startsWith(keyPrefix)) return 'entity_prefix';
  if (effectiveConfidence(view) < admission.minConfidence) return 'min_confidence';
  return isContradicted(view) && !admission.includeContradicted ? 'include_contradicted' : undefined;
};
