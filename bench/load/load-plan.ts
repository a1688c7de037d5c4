/** The plan of a load process: everything in it survives `JSON.stringify`. */
export interface LoadPlan {
  /** Connections are dealt out to them in turn. */
  readonly ports: readonly number[];
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  readonly requests: RequestPlan;
}

export type RequestPlan =
  /** Single assertions. `first` numbers the first one: runs with separate ranges never repeat an entity. */
  | { readonly kind: 'append'; readonly first: number; readonly contradicting: number }
  /** Bodies of `size` assertions, `perEntity` of them about each entity. */
  | { readonly kind: 'batch'; readonly first: number; readonly size: number; readonly perEntity: number }
  /** Entity queries, spread over the first `entities` entities that the loader made. */
  | { readonly kind: 'query'; readonly path: string; readonly entities: number }
  /** These paths in turn. They travel as an argument of a process, so there should be some hundreds at most. */
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
