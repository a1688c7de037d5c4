import type { FactOrder, Filter, Principal, Scope, StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import type { Notes } from './fact-draft.ts';
import type { FactView } from './fact-view.ts';
import type { ReadMoment } from './read-moment.ts';

/** Why a read is made: plugins constrain some of them further. */
export type ReadPurpose = 'query' | 'get' | 'provenance' | 'recall' | 'export' | 'deliver';

/**
 * `visible`: everything the caller may see, in any state. `live`: of that, the facts that are neither expired,
 * retracted nor superseded, system facts left out. `current`: what a default query shows.
 */
export type ReadView = 'visible' | 'live' | 'current';

export interface ReadContext extends ReadMoment {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  readonly purpose: ReadPurpose;
  readonly view: ReadView;
  /** Gardens the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /** What the read is about, where it is known: lets a plugin do no more work than the read needs. */
  readonly about: { readonly entityKey?: string; readonly relationKey?: string; readonly scope?: Scope };
  /** What the caller asked for in parameters that plugins claim. */
  readonly notes: Notes | undefined;
  readonly include: { readonly contradicted: boolean; readonly expired: boolean; readonly retracted: boolean };
  /**
   * The `live` view of the same caller as a filter, for a handler that judges whole triples. Not for use while
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
  /** Facts with this mark of source attestation alone; those without any are left out either way. */
  readonly attested?: boolean | undefined;
  /** Facts of a session, and of one who asserted them where `assertedBy` is given. */
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
  /** Fewer than the limit where their values come to what the body of a list has room for. */
  readonly facts: readonly FactView[];
  /** Visible matches over all pages. */
  readonly total: number;
  readonly next: { readonly timestampMs: number; readonly id: string } | null;
}

/**
 * Reads on behalf of one caller, all from one consistent snapshot and at one moment: facts of a later moment are not
 * visible, and lifetimes, covers and winners are those of the moment. Rights and what hides facts are those of today.
 */
export interface FactReader extends ReadMoment {
  readonly caller: Principal;
  readonly snapshot: PluginSnapshot;
  /** Newest timestamp first. */
  query(search: FactSearch): Promise<FactPage>;
  /** In any state; undefined for an unknown id and one that the caller may not see alike. */
  get(id: string): Promise<FactView | undefined>;
  /** The newest visible fact with this content identifier. */
  newestByCid(cid: string): Promise<FactView | undefined>;
  /** Facts among these ids that the caller may see, in any state and no particular order. */
  visible(ids: readonly string[]): Promise<StoredFact[]>;
  /** Facts that satisfy the filter and a view of the caller; `mayKeep` as `FactQuery` has it. */
  find(
    filter: Filter,
    options: { view: ReadView; order: FactOrder; limit: number; mayKeep?: boolean },
  ): Promise<StoredFact[]>;
  /** The caller's view as a filter, for a read that a plugin makes itself. */
  constraint(view: ReadView, about?: ReadContext['about']): Promise<Filter>;
  /** Gardens the caller may read. */
  readonly gardens: 'all' | readonly string[];
  /**
   * The instant (milliseconds) up to which what this reader tells about the entity by default stays the same, as long
   * as `Facts.version` does. Before its own moment where nobody can tell: see `read:next-change`.
   */
  steadyUntil(entity: string): Promise<number>;
  /** Adds what plugins know about facts the caller may see. */
  annotate(facts: readonly StoredFact[]): Promise<FactView[]>;
}
