import type { FactQuery, Filter, Principal, Scope, StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { Notes } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { ReadMoment } from './read-moment.ts';

/** The purpose of a read. Plugins add constraints or marks to some purposes. `append` is the reply to an append. */
export type ReadPurpose = 'append' | 'query' | 'get' | 'provenance' | 'recall' | 'export' | 'deliver';

/**
 * `visible`: everything that the caller may see, in any state. `live`: of that, the facts that are neither expired,
 * retracted nor superseded, without system facts. `current`: the default view of a query.
 */
export type ReadView = 'visible' | 'live' | 'current';

export interface ReadContext extends ReadMoment {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  readonly purpose: ReadPurpose;
  readonly view: ReadView;
  /** The gardens that the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /** The subject of the read, if known, so that plugins do no unnecessary work. */
  readonly about: { readonly entityKey?: string; readonly relationKey?: string; readonly scope?: Scope };
  /** Parameters of the caller that plugins understand. */
  readonly notes: Notes | undefined;
  readonly include: { readonly contradicted: boolean; readonly expired: boolean; readonly retracted: boolean };
  /**
   * Returns the caller's `live` view as a filter, for a handler that checks whole triples. Must not be called while
   * constraining `live` or `visible`.
   */
  live(): Promise<Filter>;
}

export interface FactSearch {
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  readonly source?: string | undefined;
  readonly scope?: Scope | undefined;
  /** The identifier of a garden whose facts are selected. */
  readonly gardenId?: string | undefined;
  readonly minConfidence?: number | undefined;
  /** The required mark of source attestation. Facts without such a mark do not match. */
  readonly attested?: boolean | undefined;
  /** The session whose facts are selected; with `assertedBy`, only facts of that author. */
  readonly session?: { readonly id: string; readonly assertedBy?: string } | undefined;
  readonly includeContradicted?: boolean | undefined;
  readonly includeExpired?: boolean | undefined;
  readonly includeRetracted?: boolean | undefined;
  /** A further condition on the facts. */
  readonly filter?: Filter | undefined;
  readonly position?: { readonly timestampMs: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface FactPage {
  /** The facts of the page. There are fewer than the limit when their values fill the body. */
  readonly facts: readonly FactView[];
  /** The number of visible matches over all pages. */
  readonly total: number;
  readonly next: { readonly timestampMs: number; readonly id: string } | null;
}

/**
 * Reads for one caller from one consistent snapshot, at one moment. Facts recorded later are not visible; lifetimes,
 * covers and winners are those of the moment. Rights and hidden facts are the current ones.
 */
export interface FactReader extends ReadMoment {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  /** Returns facts, newest timestamp first. */
  query(search: FactSearch): Promise<FactPage>;
  /** Returns a fact in any state. Undefined both for an unknown id and for a fact that the caller may not see. */
  get(id: string): Promise<FactView | undefined>;
  /** Returns the newest visible fact with this content id. */
  newestByCid(cid: string): Promise<FactView | undefined>;
  /** Returns the facts among these ids that the caller may see, in any state and any order. */
  visible(ids: readonly string[]): Promise<StoredFact[]>;
  /**
   * Resolves ids from a caller. Returns the visible facts by these ids. If no visible fact has an id, the id means the
   * visible fact with this id at its origin.
   */
  byGivenIds(ids: readonly string[]): Promise<ReadonlyMap<string, StoredFact>>;
  /**
   * Returns facts that match the filter and a view of the caller; for `mayCache` and `longValues` see `FactQuery`.
   */
  find(
    filter: Filter,
    options: { view: ReadView } & Pick<FactQuery, 'order' | 'limit' | 'mayCache' | 'longValues'>,
  ): Promise<StoredFact[]>;
  /** Returns the caller's view as a filter, for a plugin's own reads. */
  constraint(view: ReadView, about?: ReadContext['about']): Promise<Filter>;
  /** The gardens that the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /**
   * Returns the instant (milliseconds) until which this reader's default answers about the entity stay the same, as
   * long as `Facts.version` does. It is before the reader's own moment when no answer may be cached: see
   * `read:next-change`.
   */
  cacheableUntil(entity: string): Promise<number>;
  /** Turns visible facts into views with the marks of plugins. */
  annotate(facts: readonly StoredFact[]): Promise<FactView[]>;
}
