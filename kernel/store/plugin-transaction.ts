import type {
  Cover,
  FactOutline,
  FactQuery,
  FeedEntry,
  Filter,
  Hlc,
  SizedOutline,
  StoredFact,
  TripleKey,
} from '../../ports/ports.ts';

/** When a fact expires, and by which `svc:ttl` fact. */
export interface Expiry {
  readonly factId: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  /** Stamp of the fact that set it. */
  readonly hlc: Hlc;
}

/**
 * What a plugin sees of one consistent state of the store: facts, and its own tables through `tables.in(snapshot)`. No
 * visibility is added to what it reads about facts. Ends with the work that it was given to; using it later throws.
 */
export interface PluginSnapshot {
  /** Facts that satisfy the filter, in order. */
  find(query: FactQuery): Promise<StoredFact[]>;
  /** All facts that satisfy the filter, without their values, in no order. */
  outline(filter: Filter): Promise<SizedOutline[]>;
  /** Number of facts that satisfy the filter. */
  count(filter: Filter): Promise<number>;
  get(id: string): Promise<StoredFact | undefined>;
  /**
   * For each triple, up to `limit` facts of its place with confidence above 0 that are neither expired at `nowMs` nor
   * covered; strongest first.
   */
  siblings(triples: readonly TripleKey[], nowMs: number, limit: number): Promise<FactOutline[][]>;
  /** The covers that these facts are, in no order. */
  covers(factIds: readonly string[]): Promise<Cover[]>;
  /** When these facts expire, in no order; nothing for those that nobody gave a time to live. */
  expiries(factIds: readonly string[]): Promise<Expiry[]>;
  /** Expiries of a tenant by fact id, strictly after this one. */
  expiriesAfter(tenantId: string, factId: string, limit: number): Promise<Expiry[]>;
  /** Entries of the feed strictly after the stamp, ascending. To follow the feed, use `FactFeed`. */
  feedAfter(stamp: Hlc, limit: number): Promise<FeedEntry[]>;
  /** Stamp of the newest entry of the feed, null while it is empty. */
  head(): Promise<Hlc | null>;
  /** Identifies the history of the store: another text after a restore or a failover that may have lost commits. */
  epoch(): Promise<string>;
  /** The store's own time, milliseconds since the epoch: the same clock for every process on it. */
  databaseMs(): Promise<number>;
}

/** The same inside a write transaction, whose reads see its own writes. Its tables take rows and signals. */
export interface PluginTransaction extends PluginSnapshot {
  /** Ends the life of all facts that the covers outrank. Idempotent by fact id. */
  cover(covers: readonly Cover[]): Promise<void>;
  /** Sets when a fact expires, by the authority of the fact stamped `hlc`. The newest stamp counts. */
  setExpiry(factId: string, expiresMs: number, hlc: Hlc): Promise<void>;
}
