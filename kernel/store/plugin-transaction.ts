import type { Cover, Hlc, Snapshot, StoredFact, WriteTransaction } from '../../ports/ports.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';

/** The name of a fact: tenant and id, because two tenants may each have a fact with the same id. */
export type FactName = Pick<StoredFact, 'tenantId' | 'id'>;

/** The expiry of a fact, set by a `svc:ttl` fact. */
export interface Expiry {
  readonly tenantId: string;
  readonly factId: string;
  /** The expiry in milliseconds since the epoch. */
  readonly expiresMs: number;
  /** The origin stamp of the fact that set it. */
  readonly hlc: Hlc;
  /** The feed stamp from which the expiry counts. */
  readonly since: Hlc;
}

/** An expiry that another one has replaced. */
export type FormerExpiry = Omit<Expiry, 'hlc'>;

/**
 * One consistent state of the store for a plugin: facts, and its own tables through `tables.in(snapshot)`. Its reads of
 * facts are not filtered by visibility. It ends with its `work`; using it later throws. Plugins that follow the feed
 * use `FactFeed`, not `feedAfter`.
 */
export interface PluginSnapshot
  extends Pick<
    Snapshot,
    | 'find'
    | 'outline'
    | 'outlineByTriple'
    | 'entitiesWith'
    | 'entities'
    | 'texts'
    | 'count'
    | 'siblings'
    | 'ledger'
    | 'ledgerCount'
    | 'ledgerHead'
    | 'ledgerEnds'
    | 'ledgerNumberAt'
    | 'feedAfter'
    | 'announced'
    | 'head'
    | 'epoch'
    | 'databaseMs'
    | 'pastFloor'
  > {
  get(tenantId: string, id: string): Promise<StoredFact | undefined>;
  /** Returns the covers among these facts, in no order. */
  covers(facts: readonly FactName[]): Promise<Cover[]>;
  /** Returns when these facts expire, in no order; nothing for those without a time to live. */
  expiries(facts: readonly FactName[]): Promise<Expiry[]>;
  /** Returns expiries of these facts that were replaced after the feed stamp, those of a fact oldest first. */
  formerExpiries(facts: readonly FactName[], after: Hlc): Promise<FormerExpiry[]>;
  /** Returns expiries of a tenant in the order of fact ids, strictly after the given id. */
  expiriesAfter(tenantId: string, factId: string, limit: number): Promise<Expiry[]>;
}

/**
 * A plugin's view of a write transaction. Its reads include its own writes. Its tables also accept rows and signals.
 */
export interface PluginTransaction
  extends PluginSnapshot,
    Pick<WriteTransaction, 'cover' | 'setExpiry' | 'raisePastFloor' | 'dropPast' | 'takeNumbers' | 'addLinks'> {
  /**
   * Adds entries of a declared kind to the feed, one for each subject, and returns the stamp of the last one. In a
   * transaction that stores facts, only after these, because they have stamps of their own.
   */
  announce(kind: Word, subjectIds: readonly string[], nowMs: number): Promise<Hlc>;
}
