import type { Hit } from '../search/search-api.ts';

/** How much of a session is about the question, by the facts in it that stand beside others: `SearchIndex.together`. */
export type Shares = ReadonlyMap<string, number>;

/**
 * What the words around a fact count beside those in it. Measured on conversations: from 0.5 to 1 makes no difference
 * that can be told from chance, 0 costs two points of the evidence.
 */
const AROUND = 0.75;

/**
 * The lexical stage of facts that stand in sessions: what a fact says is read with what was said around it. A fact
 * without others beside it keeps its place among those that have none either.
 */
export const withSharedWords = (lexical: readonly Hit[], shares: Shares): readonly Hit[] => {
  if (shares.size === 0) return lexical;
  const best = lexical.reduce((most, { score }) => Math.max(most, score), 0);
  const scores = new Map(lexical.map(({ id, score }) => [id, score / best]));
  for (const [id, share] of shares) scores.set(id, (scores.get(id) ?? 0) + AROUND * share);
  return [...scores].map(([id, score]) => ({ id, score }));
};
