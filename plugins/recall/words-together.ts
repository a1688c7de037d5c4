import type { Hit } from '../search/search-api.ts';
import { idsOf, type RecallPlan } from './recall-plan.ts';

/** How much of a session is about the question, by the facts in it that stand beside others: `ShareStep`. */
export type Shares = ReadonlyMap<string, number>;

/**
 * The weight of the words around a fact beside those in it. Measured on conversations: from 0.5 to 1 makes no
 * difference that can be told from chance, 0 costs two points of the evidence.
 */
const AROUND = 0.75;

/**
 * The lexical stage of facts that stand in sessions: a fact is read with the facts around it. A fact without others
 * beside it keeps its place among those that have none either.
 */
export const withSharedWords = (lexical: readonly Hit[], shares: Shares): readonly Hit[] => {
  if (shares.size === 0) return lexical;
  const best = lexical.reduce((most, { score }) => Math.max(most, score), 0);
  const scores = new Map(lexical.map(({ id, score }) => [id, score / best]));
  for (const [id, share] of shares) scores.set(id, (scores.get(id) ?? 0) + AROUND * share);
  return [...scores].map(([id, score]) => ({ id, score }));
};

/** Adds a step for the shares of these facts, and of those that steps of the plan find. The result returns shares. */
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
