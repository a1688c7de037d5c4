import type { Hit } from '../search/search-api.ts';
import type { Expansion, LinkedEntity, LinkedFact } from './recall-api.ts';

/**
 * Returns the facts to which expansions lead, without the seeds, best first. A fact has the score of its best path.
 * `newest` holds, for each entity of `entitiesOf` and in the same order, the newest facts about it, scored by their
 * confidence.
 */
export const linkedFacts = (
  expansions: readonly Expansion[],
  newest: readonly (readonly Hit[])[],
  seeds: readonly Pick<Hit, 'id'>[],
): readonly LinkedFact[] => {
  const known = new Set(seeds.map(({ id }) => id));
  const about = entitiesOf(expansions).flatMap(({ score, hops }, at) =>
    (newest[at] ?? []).map((fact) => ({ id: fact.id, score: score * fact.score, hops })),
  );
  const linked = new Map<string, LinkedFact>();
  for (const fact of [...expansions.flatMap(({ facts }) => facts), ...about]) {
    if (!known.has(fact.id) && fact.score > (linked.get(fact.id)?.score ?? 0)) linked.set(fact.id, fact);
  }
  return [...linked.values()].sort((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1));
};

export const entitiesOf = (expansions: readonly Expansion[]): readonly LinkedEntity[] =>
  expansions.flatMap(({ entities }) => entities);
