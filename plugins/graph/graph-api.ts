import { defineRef, type FactReader, type Principal, type Scope } from '../../kernel/plugin-api.ts';
import type { Narrowed } from '../facts/facts-api.ts';

/** A walk over edges in both directions. It uses only edges that satisfy all of these members. */
export interface GraphWalk {
  /** Entities at which the walk begins, in any spelling: at least one. */
  readonly seeds: readonly string[];
  /** The maximum number of edges between a seed and a neighbour: 1 or 2. */
  readonly depth: number;
  /** Scopes of edges; by default all that the reader may see. */
  readonly scopes?: readonly Scope[] | undefined;
  /** The UUID of a garden: only edges in it. */
  readonly garden?: string | undefined;
  /** A relation, or a prefix of relations that ends in a star. */
  readonly relation?: string | undefined;
  /** The least effective confidence of an edge, 0 to 1. */
  readonly minConfidence: number;
  /** Uses only edges whose facts match this narrowing. */
  readonly narrowed?: Narrowed | undefined;
  /** True to also list a seed that an edge connects with another seed. */
  readonly amongSeeds?: boolean;
  /** The maximum number of visible edges of the walk; at most and by default 50,000. */
  readonly maxEdges?: number;
  /**
   * The maximum number of edges that the walk reads, live or not; unlimited by default. A walk may reach it before it
   * has found a live edge.
   */
  readonly maxLooked?: number;
}

/** An entity that edges lead to, at its shortest distance from the seeds. */
export interface Neighbor {
  /** The entity in the spelling of the edge. */
  readonly entity: string;
  /** Match key of the entity. */
  readonly entityKey: string;
  /** Relation of the last edge. */
  readonly relation: string;
  /** Match key of the relation. */
  readonly relationKey: string;
  /** The number of edges from the nearest seed. */
  readonly hops: number;
  /** The effective confidence of the last edge. */
  readonly confidence: number;
  /** Trust in the source of the last edge; null if no plugin rates sources. */
  readonly sourceTrust: number | null;
  /** The fact that is the last edge. */
  readonly factId: string;
  /** Entities from the seed to the predecessor of this one. */
  readonly path: readonly string[];
  /** Match key of that predecessor. */
  readonly viaKey: string;
}

/** The end of a page of neighbours. Valid for the same walk by the same reader. */
export interface NeighborPosition
  extends Pick<Neighbor, 'hops' | 'confidence' | 'entityKey' | 'relationKey' | 'factId'> {
  /** The number of neighbours up to this one. */
  readonly seen: number;
  /** True if the list comes from a walk over the whole graph. Its order differs from that of the edges. */
  readonly isOfWhole: boolean;
}

export interface ListedNeighbor {
  readonly neighbor: Neighbor;
  /** The start of the next page, if a page ends with this neighbour. */
  readonly position: NeighborPosition;
}

export interface NeighborPage {
  /** The neighbours in order. More than the limit if the walk found more at once. */
  readonly listed: readonly ListedNeighbor[];
  /** The position behind all of `listed`; null when nothing follows. */
  readonly end: NeighborPosition | null;
  /** The number of neighbours on all pages. A lower bound until the walk has read all edges. */
  readonly totalHint: number;
}

export interface NeighborPaging {
  /** The `position` of the last neighbour of the previous page, or its `end`. */
  readonly from?: NeighborPosition | undefined;
  /** 1 to 200; 50 by default. */
  readonly limit?: number | undefined;
  /**
   * An instant (RFC 3339) or a stamp: the neighbours of that moment, by the rights of today. It is the same for all
   * pages.
   */
  readonly asOf?: string | undefined;
}

/** Entities and the `ref` facts between them. A walk uses and counts only live facts that the reader may see. */
export interface EntityGraph {
  /**
   * Returns all entities within reach, by default without the seeds, each once. They are ordered by hops, falling
   * confidence, entity and relation (by match key). If several edges reach an entity at the same distance, the first in
   * this order counts. Equal visible facts give equal lists.
   */
  neighbors(reader: FactReader, walk: GraphWalk): Promise<readonly Neighbor[]>;
  /**
   * Returns the same list from a position on. Edges behind the page are not walked, so they cost nothing. Ignores
   * `maxEdges` and `amongSeeds`.
   */
  page(reader: FactReader, walk: GraphWalk, from: NeighborPosition | undefined, limit: number): Promise<NeighborPage>;
  /**
   * Returns a page of neighbours for a caller, on a snapshot of its own, like `GET /v1/graph/neighbors`. Needs `read`
   * and every scope that the walk names, otherwise rejects with `authorization`. Rejects with `graph_depth_exceeded`
   * for a depth other than 1 or 2, and with `invalid_entity_uri` or `validation` for invalid names, confidences and
   * limits. For `asOf` it rejects with `as_of_invalid_timestamp`, `as_of_future` or `as_of_before_floor`. Without the
   * plugin `time-travel`, it rejects with `validation`.
   */
  list(caller: Principal, walk: GraphWalk, page?: NeighborPaging): Promise<NeighborPage>;
}

/** The reference is optional for plugins that can work without it: `requires: { graph: optional(EntityGraph) }`. */
export const EntityGraph = defineRef<EntityGraph>('graph.entities');
