import { type FactReader, matchKey } from '../../kernel/plugin-api.ts';
import { compareBytes } from './edge-order.ts';
import type { EdgeQuery, EdgeRow } from './edge-pages.ts';
import { KEYS_PER_QUERY } from './edge-streams.ts';
import type { GraphWalk, Neighbor } from './graph-api.ts';
import {
  type Edge,
  edgesWanted,
  type Frontier,
  judgeEdges,
  neighborAt,
  seedsOf,
  type WalkParts,
} from './live-edges.ts';

/** The maximum number of edges of one walk. Beyond it, the most confident edges of each step are used. */
const MAX_WALKED_EDGES = 50_000;

/** The number of edges, and of facts, in one query: a very large query for facts is slower than several small ones. */
const EDGES_PER_PAGE = 10_000;
const FACTS_PER_QUERY = 1_000;

type Reached = ReadonlySet<string>;

/**
 * Walks breadth-first over live edges that the caller may see, in both directions. Only such edges decide where the
 * walk is cut, so an answer reveals nothing about hidden ones. See `EntityGraph.neighbors`.
 */
export const walkGraph = async (parts: WalkParts, reader: FactReader, walk: GraphWalk): Promise<Neighbor[]> => {
  let frontier = seedsOf(walk.seeds.map((seed) => [matchKey(seed, parts.names), seed]));
  const seedKeys = [...frontier.keys()];
  const reached = new Set(walk.amongSeeds === true ? [] : seedKeys);
  const walked = new Walked(walk.maxEdges ?? MAX_WALKED_EDGES, walk.maxLooked ?? Number.POSITIVE_INFINITY);
  const neighbors: Neighbor[] = [];
  for (let hops = 1; hops <= walk.depth && frontier.size > 0; hops += 1) {
    const best = new Map<string, Neighbor>();
    // From the second step on, skips edges back to a seed: they reach nothing new, and some seeds have very many edges.
    const ends = { keys: [...frontier.keys()], except: hops === 1 ? [] : seedKeys };
    for await (const page of liveEdges(parts, reader, walk, ends, walked)) {
      for (const edge of page) keepBest(edge, hops, frontier, reached, best);
    }
    const step = [...best.values()].sort(compareNeighbors);
    for (const entityKey of [...seedKeys, ...best.keys()]) reached.add(entityKey);
    neighbors.push(...step);
    frontier = new Map(step.map((neighbor) => [neighbor.entityKey, neighbor]));
  }
  return neighbors;
};

/** The members that order an answer. Names are compared by match key, in the order of the store. */
export type NeighborRank = Pick<Neighbor, 'hops' | 'confidence' | 'entityKey' | 'relationKey'>;

export const compareNeighbors = (a: NeighborRank, b: NeighborRank): number =>
  a.hops - b.hops ||
  b.confidence - a.confidence ||
  compareBytes(a.entityKey, b.entityKey) ||
  compareBytes(a.relationKey, b.relationKey);

/** Compares two last edges to the same entity. The one that sorts first is used. */
const compareEdges = (a: Neighbor, b: Neighbor): number => compareNeighbors(a, b) || compareBytes(a.factId, b.factId);

/** The edges that a walk has used so far. An edge is used once, because both of its ends have been reached then. */
class Walked {
  readonly #seen = new Set<string>();
  #left: number;
  #room: number;

  constructor(most: number, mostLooked: number) {
    this.#left = most;
    this.#room = mostLooked;
  }

  get full(): boolean {
    return this.#left <= 0 || this.#room <= 0;
  }

  /** The number of edges that the walk may still read, live or not. */
  get room(): number {
    return this.#room;
  }

  look(edges: number): void {
    this.#room -= edges;
  }

  isNew(factId: string): boolean {
    return !this.#seen.has(factId);
  }

  /** Counts edges and returns those within the bound. */
  take(edges: readonly Edge[]): readonly Edge[] {
    const taken = edges.slice(0, this.#left);
    for (const { view } of taken) this.#seen.add(view.fact.id);
    this.#left -= taken.length;
    return taken;
  }
}

/** Records the entities that an edge reaches from the frontier. */
const keepBest = (
  edge: Edge,
  hops: number,
  frontier: Frontier,
  reached: Reached,
  best: Map<string, Neighbor>,
): void => {
  const { fact } = edge.view;
  const { subjectKey, objectKey } = edge.row;
  const enter = (viaKey: string, entityKey: string, entity: string): void => {
    if (reached.has(entityKey)) return;
    const found = neighborAt(edge, { viaKey, entityKey, entity }, hops, frontier);
    const known = best.get(entityKey);
    if (found !== undefined && (known === undefined || compareEdges(found, known) < 0)) best.set(entityKey, found);
  };
  enter(subjectKey, objectKey, String(fact.value.v));
  enter(objectKey, subjectKey, fact.entity);
};

async function* liveEdges(
  parts: WalkParts,
  reader: FactReader,
  walk: GraphWalk,
  { keys, except }: Pick<EdgeQuery, 'keys' | 'except'>,
  walked: Walked,
): AsyncGenerator<readonly Edge[]> {
  const wanted = edgesWanted(parts, reader, walk);
  for (let from = 0; from < keys.length; from += KEYS_PER_QUERY) {
    for (const end of ['subject', 'object'] as const) {
      const query: EdgeQuery = { ...wanted, except, end, keys: keys.slice(from, from + KEYS_PER_QUERY) };
      let last: EdgeRow | undefined;
      do {
        if (walked.full) return;
        const limit = Math.min(EDGES_PER_PAGE, walked.room);
        const rows = await parts.edges.page(query, last, limit, reader.snapshot);
        walked.look(rows.length);
        const unseen = rows.filter(({ factId }) => walked.isNew(factId));
        for (let at = 0; at < unseen.length && !walked.full; at += FACTS_PER_QUERY) {
          yield walked.take(await judgeEdges(parts, unseen.slice(at, at + FACTS_PER_QUERY), reader, walk));
        }
        last = rows.length < limit ? undefined : rows.at(-1);
      } while (last !== undefined);
    }
  }
}
