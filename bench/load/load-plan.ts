/** The plan of a load process. It must survive `JSON.stringify`. */
export interface LoadPlan {
  /** The ports of the servers; connections are distributed over them in turn. */
  readonly ports: readonly number[];
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /** The number of requests after which the run ends, however long it takes. Default: it ends after `seconds`. */
  readonly count?: number | undefined;
  readonly requests: RequestPlan;
}

export type RequestPlan =
  /**
   * Single assertions. `first` numbers the first one: runs with separate ranges never repeat an entity. With `entities`
   * they are about so many entities by turns, each time with another relation.
   */
  | { readonly kind: 'append'; readonly first: number; readonly contradicting: number; readonly entities?: number }
  /** Bodies of `size` assertions, `perEntity` of them about each entity. */
  | { readonly kind: 'batch'; readonly first: number; readonly size: number; readonly perEntity: number }
  /**
   * Entity queries, spread over the first `entities` entities that the loader made. With `firstLimit` each pass over
   * them has another `limit`, from this one on, so that no question repeats and no cached answer serves.
   */
  | { readonly kind: 'query'; readonly path: string; readonly entities: number; readonly firstLimit?: number }
  /**
   * GET requests for these paths in turn. The plan is an argument of a process, so it can hold some hundreds of paths
   * at most.
   */
  | { readonly kind: 'read'; readonly paths: readonly string[] };

/** Measurements of one run. */
export interface LoadReport {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly statuses: Readonly<Record<string, number>>;
}
