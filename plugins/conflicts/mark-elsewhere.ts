import { cacheByFact, SAME_PLACE, SAME_TRIPLE, tripleId } from '../../kernel/internal-api.ts';
import {
  all,
  type ColumnMatch,
  defineFactMark,
  equals,
  type FactMark,
  type FactOutline,
  type FactView,
  type Filter,
  isIn,
  isNull,
  not,
  type ReadContext,
  SCOPES,
  withMark,
} from '../../kernel/plugin-api.ts';
import { CONTRADICTED } from './conflicts-api.ts';
import type { HeldRelations } from './held-relations.ts';

/**
 * The mark of a live fact that contradicts a live fact of its triple in another garden, visible to the caller. It is
 * absent unless true, because most facts are in one garden only.
 */
export const DIFFERS_ELSEWHERE = defineFactMark<true>('conflicts.elsewhere', {
  summary: 'a fact in another place says otherwise',
  members: { differs_elsewhere: { type: 'boolean', const: true } },
  optional: ['differs_elsewhere'],
  toJson: (isSo) => (isSo === true ? SAYS_SO : SAYS_NOTHING),
});

const SAYS_SO = Object.freeze({ differs_elsewhere: true });
const SAYS_NOTHING = Object.freeze({});

/** The maximum number of gardens that a mark considers, because other people can add a caller to very many gardens. */
const MOST_GARDENS = 64;

/**
 * Marks facts whose triple has another live value in another garden that the caller reads. It queries only the caller's
 * own gardens, so the total number does not matter. For a caller without gardens it queries nothing.
 */
export const markElsewhere = async (
  views: readonly FactView[],
  context: ReadContext,
  relations: HeldRelations,
): Promise<readonly FactView[] | undefined> => {
  const { gardens } = context;
  if (gardens !== 'all' && gardens.length === 0) return undefined;
  if (!(await mayLieElsewhere(views, context))) return undefined;
  const judged = { mark: DIFFERS_ELSEWHERE, relations };
  return markWhere(views, context, judged, (live) => differsElsewhere(gardens, live));
};

/**
 * Returns false if the gardens that the caller reads hold no fact, so that no contradicting fact can be in another
 * garden. That takes one cheap read instead of a search for each fact. A caller with limited scopes always gets the
 * full search: facts hidden from it must not change its timing.
 */
const mayLieElsewhere = async (views: readonly FactView[], context: ReadContext): Promise<boolean> => {
  const { caller, gardens, snapshot } = context;
  if (SCOPES.some((scope) => !caller.allowedScopes.has(scope))) return true;
  if (views.some(({ fact }) => fact.gardenId !== null)) return true;
  const inGarden = gardens === 'all' ? not(isNull('gardenId')) : isIn('gardenId', placesOf(gardens));
  return (await snapshot.outline(all(equals('tenantId', caller.tenantId), inGarden), 1)).length > 0;
};

const placesOf = (gardens: readonly string[]): readonly string[] => [...gardens].sort().slice(0, MOST_GARDENS);

/** Sets `contradicted` on facts with another live value in their own garden, for reads without stored winners. */
export const markDiffering = (
  views: readonly FactView[],
  context: ReadContext,
  relations: HeldRelations,
): Promise<readonly FactView[] | undefined> =>
  markWhere(views, context, { mark: CONTRADICTED, relations }, (live) => ({
    kind: 'inTable',
    table: 'facts',
    match: [...SAME_PLACE, OTHER_VALUE],
    where: [],
    whereFact: live,
  }));

const markWhere = async (
  views: readonly FactView[],
  context: ReadContext,
  { mark, relations }: { readonly mark: FactMark<true>; readonly relations: HeldRelations },
  differsBy: (live: Filter) => Filter,
): Promise<readonly FactView[] | undefined> => {
  const { caller, snapshot, asOf } = context;
  const verdicts = relations.at(caller.tenantId, asOf);
  // Facts with the same value in the same garden share one query.
  const asked = new Map<string, string>();
  for (const { fact } of views) {
    if (!fact.system && !verdicts.holdsMany(fact.relationKey)) asked.set(sayingOfFact(fact), fact.id);
  }
  if (asked.size === 0) return undefined;
  const live = await context.live();
  const ofTenant = equals('tenantId', caller.tenantId);
  // The double negation makes PostgreSQL test each listed fact; without it, it may scan all facts.
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

const sayingOfFact = cacheByFact((fact) => sayingOf(fact));

const OTHER_VALUE: ColumnMatch = { column: 'value_key', is: 'other', field: 'valueKey' };

const differsElsewhere = (gardens: ReadContext['gardens'], live: Filter): Filter => ({
  kind: 'inTable',
  table: 'facts',
  match: [...SAME_TRIPLE, { column: 'place', is: 'other', field: 'place' }, OTHER_VALUE],
  where: gardens === 'all' ? [] : [{ column: 'place', in: ['', ...placesOf(gardens)] }],
  whereFact: live,
});
