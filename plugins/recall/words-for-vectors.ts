import type { Hit } from '../search/search-api.ts';
import type { Admitted } from './candidate-pool.ts';

/**
 * Scores facts without a vector by their words: the fact that words found best gets the best score of the vector stage,
 * and the others a share of it. A fact whose vector is still being made thus keeps its place before facts with the same
 * words and a vector. `compared` holds the facts that have a vector.
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
