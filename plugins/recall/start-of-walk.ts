import type { SearchIndex, SearchView } from '../search/search-api.ts';
import type { CandidatePool } from './candidate-pool.ts';
import type { ExpansionContext, RecallContext } from './recall-api.ts';
import { RecallPlan } from './recall-plan.ts';
import { isNarrowing, type RecallRequest } from './recall-request.ts';
import type { SearchDepth } from './search-depth.ts';

/** The members of a view that narrow an answer. */
const WHOLE: Partial<SearchView> = {
  relationKey: undefined,
  excludedRelationKeys: undefined,
  afterMs: undefined,
  beforeMs: undefined,
  assertedBy: undefined,
  entityKeys: undefined,
  relationKeys: undefined,
  sourceKeys: undefined,
  sessionIds: undefined,
};

/**
 * Returns a fact of the requested entity, from which the graph is walked although the request leaves out all facts of
 * the entity. Empty if the request leaves out none, because its own facts are the start then.
 */
export const startOfWalk = async (
  request: RecallRequest,
  depth: SearchDepth,
  { view, reader }: RecallContext,
  pool: CandidatePool,
  index: Pick<SearchIndex, 'ask'>,
): Promise<ExpansionContext['seeds']> => {
  if (request.entity === undefined || !isNarrowing(request)) return [];
  const plan = new RecallPlan(index, { ...view, ...WHOLE }, reader.snapshot);
  const { search } = plan.addSearch({ find: 'newest', limit: depth.entity });
  const whole = pool.withoutNarrowing();
  const [own] = await whole.admit([search], depth.entity, depth.wanted);
  const [first] = own?.hits ?? [];
  const found = first && whole.get(first.id);
  return found === undefined ? [] : [{ score: 1, ...found }];
};
