import { type FactReader, matchKey } from '../../kernel/plugin-api.ts';
import { compareEdgePositions, type EdgePosition, orderText } from './edge-order.ts';
import type { EdgeQuery } from './edge-pages.ts';
import { EDGES_PER_STEP, EdgeStreams, type FoundEdge } from './edge-streams.ts';
import type { GraphWalk, ListedNeighbor, Neighbor, NeighborPage, NeighborPosition } from './graph-api.ts';
import {
  type Edge,
  edgesWanted,
  type Frontier,
  judgeEdges,
  neighborAt,
  seedsOf,
  type WalkParts,
} from './live-edges.ts';
import { compareNeighbors, walkGraph } from './walk-graph.ts';

/**
 * The maximum number of edges that one page reads. If it finds too few neighbours among them, the page ends early with
 * its cursor.
 */
const MOST_EDGES = 2_048;

/**
 * Returns one page without walking the rest. Edges are stored in the list's order of confidence. If trust lowers a
 * confidence, the whole graph is walked instead. See `EntityGraph.page`.
 */
export const pageNeighbors = async (
  parts: WalkParts,
  reader: FactReader,
  walk: GraphWalk,
  from: NeighborPosition | undefined,
  limit: number,
): Promise<NeighborPage> =>
  (from?.isOfWhole === true ? undefined : await new OrderedWalk(parts, reader, walk, from).page(limit)) ??
  pageOfWhole(await walkGraph(parts, reader, walk), from);

const pageOfWhole = (neighbors: readonly Neighbor[], from: NeighborPosition | undefined): NeighborPage => {
  const begin = from === undefined ? 0 : neighbors.findIndex((neighbor) => compareNeighbors(neighbor, from) > 0);
  const rest = begin < 0 ? [] : neighbors.slice(begin);
  const seen = neighbors.length - rest.length;
  const listed = rest.map((neighbor, at): ListedNeighbor => {
    const { hops, confidence, entityKey, relationKey, factId } = neighbor;
    const position = { hops, confidence, entityKey, relationKey, factId, seen: seen + at + 1, isOfWhole: true };
    return { neighbor, position };
  });
  return { listed, end: null, totalHint: neighbors.length };
};

class OrderedWalk {
  readonly #parts: WalkParts;
  readonly #reader: FactReader;
  readonly #walk: GraphWalk;
  readonly #from: NeighborPosition | undefined;
  readonly #seeds: Frontier;
  readonly #listed: ListedNeighbor[] = [];
  #looked = 0;

  constructor(parts: WalkParts, reader: FactReader, walk: GraphWalk, from: NeighborPosition | undefined) {
    this.#parts = parts;
    this.#reader = reader;
    this.#walk = walk;
    this.#from = from;
    this.#seeds = seedsOf(walk.seeds.map((seed) => [matchKey(seed, parts.names), seed]));
  }

  /** Returns undefined if the order of the edges differs from that of the list. */
  async page(limit: number): Promise<NeighborPage | undefined> {
    const seenBefore = this.#from?.seen ?? 0;
    const firstHop = this.#from?.hops ?? 1;
    for (let hops = firstHop; hops <= this.#walk.depth; hops += 1) {
      const frontier = await this.#frontier(hops, hops > firstHop && this.#from === undefined);
      if (frontier === undefined) return undefined;
      const stopped = await this.#step(hops, frontier, limit);
      if (stopped === 'unordered') return undefined;
      const isFull = hops < this.#walk.depth && this.#isFull(limit);
      const end = stopped ?? (isFull ? this.#listed.at(-1)?.position : undefined);
      const totalHint = seenBefore + this.#listed.length;
      if (end !== undefined) return { listed: this.#listed, end, totalHint };
    }
    return { listed: this.#listed, end: null, totalHint: seenBefore + this.#listed.length };
  }

  /**
   * Returns the entities at which a step begins, and the entities reached before it. `isListed` means that the list so
   * far contains exactly the previous step.
   */
  async #frontier(hops: number, isListed: boolean): Promise<Frontier | undefined> {
    if (hops === 1) return this.#seeds;
    const before = isListed
      ? this.#listed.map(({ neighbor }) => neighbor)
      : await walkGraph(this.#parts, this.#reader, { ...this.#walk, depth: hops - 1 });
    if (before.some(isWorthLess)) return undefined;
    return new Map(before.map((neighbor) => [neighbor.entityKey, neighbor]));
  }

  /** Lists the neighbours of one step. Returns the position where it stopped, or undefined at the end of the step. */
  async #step(hops: number, frontier: Frontier, limit: number): Promise<NeighborPosition | 'unordered' | undefined> {
    const seedKeys = [...this.#seeds.keys()];
    const reached = new Set([...seedKeys, ...frontier.keys()]);
    const wanted = { ...edgesWanted(this.#parts, this.#reader, this.#walk), except: hops === 1 ? [] : seedKeys };
    const after = this.#from?.hops === hops ? this.#edgePositionOf(this.#from) : undefined;
    const keys = [...frontier.keys()];
    const streams = new EdgeStreams(this.#parts.edges, this.#reader.snapshot, wanted, keys, after);
    for (;;) {
      const found = await streams.next(EDGES_PER_STEP);
      const last = found.at(-1);
      if (last === undefined) return undefined;
      this.#looked += found.length;
      const edges = await judgeEdges(
        this.#parts,
        found.map(({ row }) => row),
        this.#reader,
        this.#walk,
      );
      if (edges.some(({ confidence, row }) => confidence !== row.confidence)) return 'unordered';
      const fresh = freshAmong(found, edges, { hops, frontier, reached });
      const listed = after === undefined ? new Set<string>() : await this.#listedBefore(after, keys, fresh);
      for (const neighbor of fresh) {
        reached.add(neighbor.entityKey);
        if (!listed.has(neighbor.entityKey)) this.#list(neighbor);
      }
      if (!this.#isFull(limit) && this.#looked < MOST_EDGES) continue;
      return (await streams.isOver()) ? undefined : this.#positionAt(last, hops);
    }
  }

  /** True if the page is full. Reads a little beyond the limit, so that a short list gets an exact count. */
  #isFull(limit: number): boolean {
    return this.#listed.length > limit && this.#looked >= EDGES_PER_STEP;
  }

  /** Returns the neighbours that an earlier page has already listed, by an edge that precedes the end of that page. */
  async #listedBefore(
    end: EdgePosition,
    keys: readonly string[],
    fresh: readonly Neighbor[],
  ): Promise<ReadonlySet<string>> {
    const weakest = fresh.at(-1);
    if (weakest === undefined) return new Set();
    const listed = new Set<string>();
    const others = fresh.map(({ entityKey }) => entityKey);
    // An edge with no more confidence sorts after the end of that page, unless it leads to the page's last neighbour.
    const better = { others, before: orderText(weakest.confidence, '') };
    await this.#addListed(end, keys, better, listed);
    if (others.includes(end.otherKey)) await this.#addListed(end, keys, { others: [end.otherKey] }, listed);
    return listed;
  }

  /** Adds the entities at the other ends of live edges up to the end of the earlier page. */
  async #addListed(
    end: EdgePosition,
    keys: readonly string[],
    which: Pick<EdgeQuery, 'others' | 'before'>,
    listed: Set<string>,
  ): Promise<void> {
    const wanted = { ...edgesWanted(this.#parts, this.#reader, this.#walk), except: [], ...which };
    const streams = new EdgeStreams(this.#parts.edges, this.#reader.snapshot, wanted, keys, undefined);
    for (;;) {
      const found = await streams.next(EDGES_PER_STEP);
      const earlier = found.filter(({ row }) => compareEdgePositions(row, end) <= 0).map(({ row }) => row);
      for (const { row } of await judgeEdges(this.#parts, earlier, this.#reader, this.#walk)) listed.add(row.otherKey);
      if (found.length < EDGES_PER_STEP || earlier.length < found.length) return;
    }
  }

  #list(neighbor: Neighbor): void {
    const { hops, confidence, entityKey, relationKey, factId } = neighbor;
    const seen = (this.#from?.seen ?? 0) + this.#listed.length + 1;
    const position = { hops, confidence, entityKey, relationKey, factId, seen, isOfWhole: false };
    this.#listed.push({ neighbor, position });
  }

  #edgePositionOf({ confidence, entityKey, relationKey, factId }: NeighborPosition): EdgePosition {
    const order = this.#parts.edges.orderOf(this.#reader.caller.tenantId, confidence, entityKey);
    return { order, otherKey: entityKey, relationKey, factId };
  }

  #positionAt({ row }: FoundEdge, hops: number): NeighborPosition {
    const { confidence, otherKey: entityKey, relationKey, factId } = row;
    const seen = (this.#from?.seen ?? 0) + this.#listed.length;
    return { hops, confidence, entityKey, relationKey, factId, seen, isOfWhole: false };
  }
}

/** Returns neighbours that the edges reach for the first time, in the order of the edges. */
const freshAmong = (
  found: readonly FoundEdge[],
  edges: readonly Edge[],
  { hops, frontier, reached }: { hops: number; frontier: Frontier; reached: ReadonlySet<string> },
): Neighbor[] => {
  const live = new Map(edges.map((edge) => [edge.row.factId, edge]));
  const fresh = new Map<string, Neighbor>();
  for (const { row, end } of found) {
    const edge = live.get(row.factId);
    const entityKey = row.otherKey;
    if (edge === undefined || reached.has(entityKey) || fresh.has(entityKey)) continue;
    const { fact } = edge.view;
    const isOutward = end === 'subject';
    const viaKey = isOutward ? row.subjectKey : row.objectKey;
    const entity = isOutward ? String(fact.value.v) : fact.entity;
    const neighbor = neighborAt(edge, { viaKey, entityKey, entity }, hops, frontier);
    if (neighbor !== undefined) fresh.set(entityKey, neighbor);
  }
  return [...fresh.values()];
};

/** True if trust lowers the confidence by which the edge is stored. */
const isWorthLess = ({ sourceTrust }: Neighbor): boolean => sourceTrust !== null && sourceTrust < 1;
