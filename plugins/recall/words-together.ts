import type { Hit } from '../search/search-api.ts';
import { idsOf, type RecallPlan } from './recall-plan.ts';

/**
 * For facts with neighbours in their session: the share of the query that a fact and its neighbours contain together
 * (`ShareStep`).
 */
export type Shares = ReadonlyMap<string, number>;

/**
 * The weight of words in neighbouring facts, relative to words in the fact. On conversations, values from 0.5 to 1 made
 * no significant difference, and 0 lost two points of the evidence.
 */
const AROUND = 0.75;

/**
 * Adds to the scores of words the shares that facts have together with their neighbours in a session. The order of
 * facts without neighbours does not change among themselves.
 */
export const withSharedWords = (lexical: readonly Hit[], shares: Shares): readonly Hit[] => {
  if (shares.size === 0) return lexical;
  const best = lexical.reduce((most, { score }) => Math.max(most, score), 0);
  const scores = new Map(lexical.map(({ id, score }) => [id, score / best]));
  for (const [id, share] of shares) scores.set(id, (scores.get(id) ?? 0) + AROUND * share);
  return [...scores].map(([id, score]) => ({ id, score }));
};

/**
 * Adds a step to the plan that computes the shares of these facts and of the facts that earlier steps find. Returns a
 * function that reads the shares by fact id.
 */
export const planShares = (
  plan: RecallPlan,
  query: string,
  facts: { readonly ids: readonly string[]; readonly foundBy: readonly number[] },
): ((ids: readonly string[]) => Promise<Shares>) => {
  if (query === '') return async () => new Map();
  const place = plan.add({ find: 'share', query, of: facts });
  return async (ids) => {
    if (ids.length === 0) return new Map();
    const found = await Promise.all(facts.foundBy.map((step) => plan.answer(step)));
    const asked = new Set([...facts.ids, ...found.flatMap(({ hits }) => idsOf(hits))]);
    const missing = ids.filter((id) => !asked.has(id));
    const more = missing.length === 0 ? [] : (await plan.askMore({ find: 'share', query, of: { ids: missing } })).hits;
    const shares = new Map([...(await plan.answer(place)).hits, ...more].map(({ id, score }) => [id, score]));
    return new Map(ids.flatMap((id) => (shares.has(id) ? [[id, shares.get(id) as number]] : [])));
  };
};
