import { defineRef, type FactReader, type Principal, type Scope } from '../../kernel/plugin-api.ts';

/** What is walked: edges that satisfy all of it, in both directions. */
export interface GraphWalk {
  /** Entities to begin at, as they were named: at least one. */
  readonly seeds: readonly string[];
  /** Most edges between a seed and a neighbour: 1 or 2. */
  readonly depth: number;
  /** Scopes of edges; without it all that the reader may see. */
  readonly scopes?: readonly Scope[] | undefined;
  /** Edges of this garden alone, by its identifier. */
  readonly garden?: string | undefined;
  /** A relation, or the beginning of one with a star behind it. */
  readonly relation?: string | undefined;
  /** Least effective confidence of an edge, [0, 1]. */
  readonly minConfidence: number;
  /** Lists a seed, too, that an edge joins to another seed. */
  readonly amongSeeds?: boolean;
  /**
   * Most edges that are looked at, those that the reader may not see not counted; at most and by default
   * `MAX_WALKED_EDGES`.
   */
  readonly maxEdges?: number;
  /**
   * Most edges that are read, live or not, so that what has just ended bounds no work but cuts the walk; by default
   * all.
   */
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
  /** Trust in the source of the last edge, null while nobody judges sources. */
  readonly sourceTrust: number | null;
  /** The fact that is the last edge. */
  readonly factId: string;
  /** Entities from the seed to the one before this. */
  readonly path: readonly string[];
  /** Match key of the last of them. */
  readonly viaKey: string;
}

/** Where a page of neighbours ended. Good for the same walk by the same reader. */
export interface NeighborPosition
  extends Pick<Neighbor, 'hops' | 'confidence' | 'entityKey' | 'relationKey' | 'factId'> {
  /** Neighbours up to here. */
  readonly seen: number;
  /** Whether the list is one of the whole walk, whose order is not that of the edges. */
  readonly isOfWhole: boolean;
}

export interface ListedNeighbor {
  readonly neighbor: Neighbor;
  /** A page that ends with this neighbour is continued from here. */
  readonly position: NeighborPosition;
}

export interface NeighborPage {
  /** In order; more than the limit where they were found along with it. */
  readonly listed: readonly ListedNeighbor[];
  /** Where to go on behind all of `listed`; null when nothing follows. */
  readonly end: NeighborPosition | null;
  /** How many neighbours there are on all pages; at least so many while some follow that were not looked at. */
  readonly totalHint: number;
}

export interface NeighborPaging {
  /** `position` of the last neighbour of the page before, or its `end`. */
  readonly from?: NeighborPosition | undefined;
  /** 1 to `MAX_NEIGHBORS`; `DEFAULT_NEIGHBORS` by default. */
  readonly limit?: number | undefined;
}

export const MAX_NEIGHBORS = 200;
export const DEFAULT_NEIGHBORS = 50;

/**
 * How many edges one walk looks at: reached by hubs alone, and then the most confident edges of each step are those
 * that count.
 */
export const MAX_WALKED_EDGES = 50_000;

/**
 * Entities and the `ref` facts between them. Nothing that the reader may not see, and nothing that is not live, is
 * walked or counted.
 */
export interface EntityGraph {
  /**
   * Everything within reach, in general without the seeds: each entity once, by hops, then falling confidence, entity
   * and relation (by match key). Of several last edges at the same distance the first in this order counts. Equal for
   * equal visible facts.
   */
  neighbors(reader: FactReader, walk: GraphWalk): Promise<readonly Neighbor[]>;
  /**
   * The same list from a position on, without walking what comes behind the page: what an entity has beside the
   * neighbours on it does not matter. `maxEdges` and `amongSeeds` are those of `neighbors`, and are not used here.
   */
  page(reader: FactReader, walk: GraphWalk, from: NeighborPosition | undefined, limit: number): Promise<NeighborPage>;
  /**
   * A page of neighbours for a caller, on a snapshot of its own: what `GET /v1/graph/neighbors` shows. Needs `read` and
   * every scope that the walk names, else `authorization`. Rejects with `graph_depth_exceeded` for a depth other than 1
   * or 2, and with `invalid_entity_uri` or `validation` for names, confidences and limits that are not valid.
   */
  list(caller: Principal, walk: GraphWalk, page?: NeighborPaging): Promise<NeighborPage>;
}

/** Optional for plugins that can do without: `requires: { graph: optional(EntityGraph) }`. */
export const EntityGraph = defineRef<EntityGraph>('graph.entities');
