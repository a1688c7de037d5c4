import type { Embedder } from '../../kernel/plugin-api.ts';

type Traits = Pick<Embedder, 'similarityFloor' | 'comparesSpelling'>;

/**
 * Scores of the vector stage from the similarities of its hits, best first, which a search down to `searchFloor` found.
 * The scores belong to the first hits, in order, and are above 0; hits beyond them are none. Hits that are not above
 * the embedder's floor never get a score.
 *
 * Where vectors mean something, a score is what a similarity has above the floor. Where they compare spelling, a query
 * agrees with many texts through words that are common here, which no vector of one text can know; the best of those
 * agreements would get the full weight of the stage for nothing. So the stage is silent unless a few texts stand out
 * from all others, and then those few are its hits.
 */
export const calibrateSimilarities = (similarities: readonly number[], traits: Traits): number[] => {
  const { similarityFloor: floor } = traits;
  const above = similarities.findIndex((similarity) => similarity <= floor);
  const hits = above === -1 ? similarities : similarities.slice(0, above);
  if (!traits.comparesSpelling) return hits.map((similarity) => (similarity - floor) / (1 - floor));
  return hits.slice(0, outstanding(similarities));
};

/** How far down a search must go so that `calibrateSimilarities` sees what a hit has to stand out from. */
export const searchFloor = ({ similarityFloor, comparesSpelling }: Traits): number =>
  comparesSpelling ? Math.min(similarityFloor, similarityFloor * (GAPS.at(-1) as number)) : similarityFloor;

/** How many hits come before the gap below which all others are: of one that is near, or of a few that are far. */
const outstanding = (similarities: readonly number[]): number => {
  const best = similarities[0] ?? 0;
  return 1 + GAPS.findIndex((gap, at) => (similarities[at + 1] ?? 0) < gap * best);
};

/** Below which share of the best similarity the next one must be, after 1, 2 and 3 hits. */
const GAPS: readonly number[] = [0.6, 0.5, 0.4];

/** Similarities, from the best one on, that decide which hits of vectors that compare spelling stand out. */
export const MOST_COMPARED = GAPS.length + 1;
