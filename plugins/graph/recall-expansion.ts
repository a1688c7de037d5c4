import type { Expansion, ExpansionContext } from '../recall/recall-api.ts';
import type { EntityGraph, Neighbor } from './graph-api.ts';

/** The factor by which each hop lowers a score, besides the confidence of its edge. */
const DECAY_PER_HOP = 0.5;
/** Limits of one expansion, because recall needs a few strong facts within milliseconds. */
const MAX_SEED_ENTITIES = 16;
const MAX_EDGES = 1_000;
/** The maximum number of edges read, live or not. Ended edges are marked soon after their end, but not at once. */
const MAX_LOOKED = 4_000;
/** The number of entities of a request without a filter. With one, each neighbour is asked for facts that fit. */
const MAX_ENTITIES = 32;
const MAX_FACTS = 256;

/**
 * Finds the entities next to those of the seeds, and the edges that lead there. Each hop multiplies the score of
 * a seed by one half and by the confidence of the edge; the best path counts.
 */
export const expandRecall = async (graph: EntityGraph, request: ExpansionContext): Promise<Expansion> => {
  const { seeds, depth, view, reader, isNarrowed } = request;
  const starts = bestEntities(seeds);
  if (depth === 0 || starts.length === 0) return NOWHERE;
  const reached = await graph.neighbors(reader, {
    seeds: starts.map(({ fact }) => fact.entity),
    depth,
    scopes: view.scopes,
    garden: view.onlyGarden,
    minConfidence: view.minConfidence,
    amongSeeds: true,
    maxEdges: MAX_EDGES,
    maxLooked: MAX_LOOKED,
  });
  const neighbors = [...strongest(reached, starts, isNarrowed ? MAX_EDGES : MAX_ENTITIES)];
  const limit = Math.ceil(MAX_FACTS / neighbors.length);
  return {
    facts: neighbors.map(([, { neighbor, score }]) => ({ id: neighbor.factId, score, hops: neighbor.hops })),
    entities: neighbors.map(([entityKey, { neighbor, score }]) => ({ entityKey, score, hops: neighbor.hops, limit })),
  };
};

const NOWHERE: Expansion = { facts: [], entities: [] };

interface Scored {
  readonly neighbor: Neighbor;
  readonly score: number;
}

/** Returns the best seed of each entity, for the entities with the best seeds. */
const bestEntities = (seeds: ExpansionContext['seeds']): ExpansionContext['seeds'] => {
  const best = new Map<string, ExpansionContext['seeds'][number]>();
  const ordered = [...seeds].sort((a, b) => b.score - a.score || (a.fact.id < b.fact.id ? -1 : 1));
  for (const seed of ordered) if (!best.has(seed.fact.entityKey)) best.set(seed.fact.entityKey, seed);
  return [...best.values()].slice(0, MAX_SEED_ENTITIES);
};

/** Scores neighbours in the order of their hops, so that the predecessor has its score already. */
const strongest = (
  reached: readonly Neighbor[],
  starts: ExpansionContext['seeds'],
  limit: number,
): ReadonlyMap<string, Scored> => {
  const scores = new Map(starts.map(({ fact, score }) => [fact.entityKey, score]));
  const scored: Scored[] = [];
  for (const neighbor of reached) {
    const score = (scores.get(neighbor.viaKey) ?? 0) * neighbor.confidence * DECAY_PER_HOP;
    // A seed keeps its own score even if another seed leads to it.
    if (!scores.has(neighbor.entityKey)) scores.set(neighbor.entityKey, score);
    scored.push({ neighbor, score });
  }
  // The order of the walk settles ties, because sorting is stable.
  scored.sort((a, b) => b.score - a.score);
  return new Map(scored.slice(0, limit).map((entry) => [entry.neighbor.entityKey, entry]));
};
