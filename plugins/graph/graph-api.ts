import { defineRef, type FactReader, type Principal, type Scope } from '../../kernel/plugin-api.ts';

/** A walk over edges in both directions. It uses edges that satisfy all of its members. */
export interface GraphWalk {
  /** Entities at which the walk begins, in any spelling: at least one. */
  readonly seeds: readonly string[];
  /** Most edges between a seed and a neighbour: 1 or 2. */
  readonly depth: number;
  /** Scopes of edges; by default all that the reader may see. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The UUID of a garden: only edges in it. */
  readonly garden?: string | undefined;
  /** A relation, or the beginning of one followed by a star. */
  readonly relation?: string | undefined;
  /** Least effective confidence of an edge, [0, 1]. */
  readonly minConfidence: number;
  /** Whether a seed is listed when an edge joins it to another seed. */
  readonly amongSeeds?: boolean;
  /** Most visible edges of the walk; at most and by default `MAX_WALKED_EDGES`. */
  readonly maxEdges?: number;
  /** Most edges that the walk reads, live or not; all by default. It cuts the walk where many edges have just ended. */
  readonly maxLooked?: number;
}

/** An entity that edges lead to, at its shortest distance from the seeds. */
export interface Neighbor {
  /** As the edge spells it. */
  readonly entity: string;
  /** Match key of the entity. */
  readonly entityKey: string;
  /** Relation of the last edge. */
  readonly relation: string;
  /** Match key of the relation. */
  readonly relationKey: string;
  /** Edges from the nearest seed. */
  readonly hops: number;
  /** Effective confidence of the last edge. */
  readonly confidence: number;
  /** Trust in the source of the last edge; null while no plugin judges sources. */
  readonly sourceTrust: number | null;
  /** The fact that is the last edge. */
  readonly factId: string;
  /** Entities from the seed to the predecessor of this one. */
  readonly path: readonly string[];
  /** Match key of that predecessor. */
  readonly viaKey: string;
}

/** The end of a page of neighbours. Good for the same walk by the same reader. */
export interface NeighborPosition
  extends Pick<Neighbor, 'hops' | 'confidence' | 'entityKey' | 'relationKey' | 'factId'> {
  /** Neighbours up to this one. */
  readonly seen: number;
  /** Whether the list comes from the whole walk, whose order differs from that of the edges. */
  readonly isOfWhole: boolean;
}

export interface ListedNeighbor {
  readonly neighbor: Neighbor;
  /** The next page begins behind this position when a page ends with this neighbour. */
  readonly position: NeighborPosition;
}

export interface NeighborPage {
  /** In order. More than the limit when the walk found more at once. */
  readonly listed: readonly ListedNeighbor[];
  /** The position behind all of `listed`; null when nothing follows. */
  readonly end: NeighborPosition | null;
  /** How many neighbours all pages have. A lower bound while the walk has not looked at all edges. */
  readonly totalHint: number;
}

export interface NeighborPaging {
  /** `position` of the last neighbour of the page before, or its `end`. */
  readonly from?: NeighborPosition | undefined;
  /** 1 to `MAX_NEIGHBORS`; `DEFAULT_NEIGHBORS` by default. */
  readonly limit?: number | undefined;
  /**
   * An instant (RFC 3339) or a stamp: the neighbours of that moment, by the rights of today. It is the same for all
   * pages.
   */
  readonly asOf?: string | undefined;
}

export const MAX_NEIGHBORS = 200;
export const DEFAULT_NEIGHBORS = 50;

/** Most edges of one walk. Only hubs reach it, and then the most confident edges of each step count. */
export const MAX_WALKED_EDGES = 50_000;

/** Entities and the `ref` facts between them. A walk uses and counts only live facts that the reader may see. */
export interface EntityGraph {
  /**
   * All entities within reach, by default without the seeds. Each stands once, in the order of hops, falling
   * confidence, entity and relation (by match key). Of several last edges at the same distance the first in this order
   * counts. Equal visible facts give equal lists.
   */
  neighbors(reader: FactReader, walk: GraphWalk): Promise<readonly Neighbor[]>;
  /**
   * The same list from a position on. Edges behind the page are not walked, so the cost does not depend on them.
   * Ignores `maxEdges` and `amongSeeds`.
   */
  page(reader: FactReader, walk: GraphWalk, from: NeighborPosition | undefined, limit: number): Promise<NeighborPage>;
  /**
   * A page of neighbours for a caller, on a snapshot of its own: what `GET /v1/graph/neighbors` shows. Needs `read` and
   * every scope that the walk names, else `authorization`. Rejects with `graph_depth_exceeded` for a depth other than 1
   * or 2, and with `invalid_entity_uri` or `validation` for names, confidences and limits that are not valid. For
   * `asOf` it rejects with `as_of_invalid_timestamp`, `as_of_future` or `as_of_before_floor`, and with `validation`
   * while no plugin knows the past.
   */
  list(caller: Principal, walk: GraphWalk, page?: NeighborPaging): Promise<NeighborPage>;
}

/** Optional for plugins that can do without: `requires: { graph: optional(EntityGraph) }`. */
export const EntityGraph = defineRef<EntityGraph>('graph.entities');
