import {
  all,
  type ColumnMatch,
  equals,
  type FactMark,
  type FactOutline,
  type FactView,
  type Filter,
  isIn,
  isNull,
  keptWithFact,
  not,
  type ReadContext,
  SAME_PLACE,
  SAME_TRIPLE,
  SCOPES,
  tripleId,
  withMark,
} from '../../kernel/plugin-api.ts';
import { CONTRADICTED, DIFFERS_ELSEWHERE } from './conflicts-api.ts';

/**
 * Gardens of a reader that are looked at: bounds what it costs to be a member of very many, which others can make one.
 */
const MOST_GARDENS = 64;

/**
 * Marks facts whose triple has another live value in another place that the caller reads. Only the caller's own places
 * are asked, so that it does not matter how many gardens there are; nothing is asked for a caller who reads no garden.
 */
export const markElsewhere = async (
  views: readonly FactView[],
  context: ReadContext,
): Promise<readonly FactView[] | undefined> => {
  const { gardens } = context;
  if (gardens !== 'all' && gardens.length === 0) return undefined;
  if (!(await mayLieElsewhere(views, context))) return undefined;
  return markWhere(views, context, DIFFERS_ELSEWHERE, (live) => differsElsewhere(gardens, live));
};

/**
 * False where the caller can see that no fact that it may read is in a garden: then all lie in one place. One look at
 * the first of such facts, where the question itself looks for the rivals of each fact. Who may not read every scope
 * asks the question: what is hidden from it must not make it faster.
 */
const mayLieElsewhere = async (views: readonly FactView[], context: ReadContext): Promise<boolean> => {
  const { caller, gardens, snapshot } = context;
  if (SCOPES.some((scope) => !caller.allowedScopes.has(scope))) return true;
  if (views.some(({ fact }) => fact.gardenId !== null)) return true;
  const inGarden = gardens === 'all' ? not(isNull('gardenId')) : isIn('gardenId', placesOf(gardens));
  return (await snapshot.outline(all(equals('tenantId', caller.tenantId), inGarden), 1)).length > 0;
};

const placesOf = (gardens: readonly string[]): readonly string[] => [...gardens].sort().slice(0, MOST_GARDENS);

/** Sets `contradicted` on facts with another live value in their own place, where nobody has noted who reigns. */
export const markDiffering = (
  views: readonly FactView[],
  context: ReadContext,
): Promise<readonly FactView[] | undefined> =>
  markWhere(views, context, CONTRADICTED, (live) => ({
    kind: 'inTable',
    table: 'facts',
    match: [...SAME_PLACE, OTHER_VALUE],
    where: [],
    whereFact: live,
  }));

const markWhere = async (
  views: readonly FactView[],
  context: ReadContext,
  mark: FactMark<true>,
  differsBy: (live: Filter) => Filter,
): Promise<readonly FactView[] | undefined> => {
  const { caller, snapshot } = context;
  // Facts that say the same in the same place share the answer.
  const asked = new Map<string, string>();
  for (const { fact } of views) if (!fact.system) asked.set(sayingOfFact(fact), fact.id);
  if (asked.size === 0) return undefined;
  const live = await context.live();
  const ofTenant = equals('tenantId', caller.tenantId);
  // Negated twice, it is asked for each of these facts; bare, PostgreSQL may read all facts for it.
  const differs = not(not(differsBy(live)));
  const differing = await snapshot.outline(all(ofTenant, isIn('id', [...asked.values()]), differs));
  if (differing.length === 0) return undefined;
  const sayings = new Set(differing.map(sayingOf));
  const ids = views.flatMap(({ fact }) => (sayings.has(sayingOfFact(fact)) ? [fact.id] : []));
  const marked = new Set((await snapshot.outline(all(isIn('id', ids), live))).map(({ id }) => id));
  return views.map((view) => (marked.has(view.fact.id) ? withMark(view, mark, true) : view));
};

const sayingOf = (fact: Pick<FactOutline, keyof Parameters<typeof tripleId>[0] | 'valueKey'>): string =>
  `${tripleId(fact)} ${fact.valueKey}`;

const sayingOfFact = keptWithFact((fact) => sayingOf(fact));

const OTHER_VALUE: ColumnMatch = { column: 'value_key', is: 'other', field: 'valueKey' };

const differsElsewhere = (gardens: ReadContext['gardens'], live: Filter): Filter => ({
  kind: 'inTable',
  table: 'facts',
  match: [...SAME_TRIPLE, { column: 'place', is: 'other', field: 'place' }, OTHER_VALUE],
  where: gardens === 'all' ? [] : [{ column: 'place', in: ['', ...placesOf(gardens)] }],
  whereFact: live,
});
