import type { Hit } from '../search/search-api.ts';
import type { Admitted } from './candidate-pool.ts';

/**
 * Gives facts without a vector a score of the vector stage, so that they are not ranked below facts with the same words
 * and a vector while their vector is being made. The fact that words ranked best gets the best vector score, and the
 * others a share of it. `compared` holds the facts that have a vector.
 */
export const withWordsForVectors = (
  semantic: Admitted,
  lexical: readonly Hit[],
  compared: ReadonlySet<string>,
): Admitted => {
  const most = bestOf(semantic.hits);
  const bestByWords = bestOf(lexical);
  if (most === 0 || bestByWords === 0) return semantic;
  const unseen = lexical
    .filter(({ id }) => !compared.has(id))
    .map(({ id, score }): Hit => ({ id, score: (most * score) / bestByWords }));
  if (unseen.length === 0) return semantic;
  return { ...semantic, hits: [...semantic.hits, ...unseen].sort((a, b) => b.score - a.score) };
};

const bestOf = (hits: readonly Hit[]): number => hits.reduce((most, { score }) => Math.max(most, score), 0);
