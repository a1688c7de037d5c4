import { definePlugin, factCommitted, type StoredFact } from 'fact-memory-node/plugin';
import { type Hit, SearchIndex, type SearchView } from 'fact-memory-node/search-api';

const isIn =
  ({ tenantId, scopes, gardens, minConfidence, entityKey, relationKey, contested = [] }: SearchView) =>
  (fact: StoredFact): boolean =>
    fact.tenantId === tenantId &&
    scopes.includes(fact.scope) &&
    (fact.gardenId === null || gardens === 'all' || gardens.includes(fact.gardenId)) &&
    fact.confidence >= minConfidence &&
    (entityKey === undefined || fact.entityKey === entityKey) &&
    (relationKey === undefined || fact.relationKey === relationKey) &&
    !contested.some((triple) => triple.entityKey === fact.entityKey && triple.relationKey === fact.relationKey);

/** Searches a list of all committed facts from end to end for the words of a query. */
export const tinySearch = () => {
  const facts: StoredFact[] = [];
  const hits = (view: SearchView, limit: number, scoreOf: (fact: StoredFact) => number): Hit[] =>
    facts
      .filter(isIn(view))
      .map((fact) => ({ id: fact.id, score: scoreOf(fact) }))
      .filter(({ score }) => score > 0)
      .reverse()
      .sort((a, b) => b.score - a.score)
      .slice(0, limit);
  const index: SearchIndex = {
    ready: async () => null,
    isMakingVectors: async () => false,
    embedders: async () => [],
    ask: async (plan, view) =>
      plan.map((step) => {
        if (step.find === 'newest') return { hits: hits(view, step.limit, () => 1) };
        if (step.find !== 'words') return { hits: [] };
        const sought = step.query.split(' ');
        return {
          hits: hits(view, step.limit, ({ value }) => sought.filter((word) => String(value.v).includes(word)).length),
        };
      }),
  };
  return definePlugin({
    name: 'tiny-search',
    version: '1.0.0',
    kernelApi: 1,
    provides: [SearchIndex],
    setup({ on, provide }) {
      on(factCommitted, ({ facts: committed }) => void facts.push(...committed.map(({ fact }) => fact)));
      provide(SearchIndex, index);
    },
  });
};
