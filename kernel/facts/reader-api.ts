import type { FactOrder, Filter, Principal, Scope, StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { Notes } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { ReadMoment } from './read-moment.ts';

/** Why a read is made: plugins constrain some purposes further. */
export type ReadPurpose = 'query' | 'get' | 'provenance' | 'recall' | 'export' | 'deliver';

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
  /** Gardens the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /** The subject of the read, where it is known: lets a plugin do no more work than the read needs. */
  readonly about: { readonly entityKey?: string; readonly relationKey?: string; readonly scope?: Scope };
  /** Parameters of the caller that plugins claim. */
  readonly notes: Notes | undefined;
  readonly include: { readonly contradicted: boolean; readonly expired: boolean; readonly retracted: boolean };
  /**
   * The `live` view of the same caller as a filter, for a handler that checks whole triples. Not for use while
   * constraining `live` or `visible`.
   */
  live(): Promise<Filter>;
}

export interface FactSearch {
  readonly entity?: string | undefined;
  readonly relation?: string | undefined;
  readonly source?: string | undefined;
  readonly scope?: Scope | undefined;
  /** Identifier of a garden: facts of that garden alone. */
  readonly gardenId?: string | undefined;
  readonly minConfidence?: number | undefined;
  /** Facts with this mark of source attestation alone; facts without any are left out. */
  readonly attested?: boolean | undefined;
  /** Facts of a session; with `assertedBy`, those of one author alone. */
  readonly session?: { readonly id: string; readonly assertedBy?: string } | undefined;
  readonly includeContradicted?: boolean | undefined;
  readonly includeExpired?: boolean | undefined;
  readonly includeRetracted?: boolean | undefined;
  /** Strictly later, by timestamp (milliseconds) or by stamp. */
  readonly after?: Filter | undefined;
  readonly position?: { readonly timestampMs: number; readonly id: string } | undefined;
  readonly limit: number;
}

export interface FactPage {
  /** Fewer than the limit when their values fill the body of a list. */
  readonly facts: readonly FactView[];
  /** Visible matches over all pages. */
  readonly total: number;
  readonly next: { readonly timestampMs: number; readonly id: string } | null;
}

/**
 * Reads for one caller, from one consistent snapshot and at one moment. Facts of a later moment are not visible;
 * lifetimes, covers and winners are those of the moment. Rights and hidden facts are those of today.
 */
export interface FactReader extends ReadMoment {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  /** Newest timestamp first. */
  query(search: FactSearch): Promise<FactPage>;
  /** In any state. Undefined both for an unknown id and for one that the caller may not see. */
  get(id: string): Promise<FactView | undefined>;
  /** The newest visible fact with this content identifier. */
  newestByCid(cid: string): Promise<FactView | undefined>;
  /** Facts among these ids that the caller may see, in any state and any order. */
  visible(ids: readonly string[]): Promise<StoredFact[]>;
  /** Facts that satisfy the filter and a view of the caller; for `mayCache` see `FactQuery`. */
  find(
    filter: Filter,
    options: { view: ReadView; order: FactOrder; limit: number; mayCache?: boolean },
  ): Promise<StoredFact[]>;
  /** The caller's view as a filter, for a plugin's own reads. */
  constraint(view: ReadView, about?: ReadContext['about']): Promise<Filter>;
  /** Gardens the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /**
   * The instant (milliseconds) until which this reader's default answers about the entity stay the same, as long as
   * `Facts.version` does. It lies before the reader's own moment when no answer may be cached: see `read:next-change`.
   */
  cacheableUntil(entity: string): Promise<number>;
  /** Turns visible facts into views with the marks of plugins. */
  annotate(facts: readonly StoredFact[]): Promise<FactView[]>;
}
