/** The quality of one answer; each measure is from 0 to 1. */
export interface Quality {
  readonly recallAt5: number;
  readonly recallAt10: number;
  readonly ndcgAt10: number;
}

/** `found` holds the ids of an answer, best first. `gold` gives the relevance of each relevant id. */
export const judge = (found: readonly string[], gold: Readonly<Record<string, number>>): Quality => ({
  recallAt5: recallIn(found.slice(0, 5), gold),
  recallAt10: recallIn(found.slice(0, 10), gold),
  ndcgAt10: ndcg(found.slice(0, 10), gold),
});

/** Returns the share of the relevant ids that were found. */
export const recallIn = (found: readonly string[], gold: Readonly<Record<string, number>>): number => {
  const relevant = Object.keys(gold).filter((id) => (gold[id] as number) > 0);
  const known = new Set(found);
  return relevant.length === 0 ? 0 : relevant.filter((id) => known.has(id)).length / relevant.length;
};

/** Returns the normalised discounted cumulative gain with linear gains, as in the BEIR evaluations. */
export const ndcg = (found: readonly string[], gold: Readonly<Record<string, number>>): number => {
  const ideal = Object.values(gold).sort((a, b) => b - a);
  const best = gain(ideal.slice(0, 10));
  return best === 0 ? 0 : gain(found.map((id) => gold[id] ?? 0)) / best;
};

const gain = (worths: readonly number[]): number =>
  worths.reduce((sum, worth, at) => sum + worth / Math.log2(at + 2), 0);

export const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
