import type { Cover, Hlc, Snapshot, StoredFact, WriteTransaction } from '../../ports/ports.ts';
import type { Word } from '../vocabulary/define-vocabulary.ts';

/** Identifies a fact: two tenants may each have one of the same id. */
export type FactName = Pick<StoredFact, 'tenantId' | 'id'>;

/** The expiry of a fact, and the `svc:ttl` fact that set it. */
export interface Expiry {
  readonly tenantId: string;
  readonly factId: string;
  /** Milliseconds since the epoch. */
  readonly expiresMs: number;
  /** Stamp of the fact that set it. */
  readonly hlc: Hlc;
  /** Feed stamp from which on it counts. */
  readonly since: Hlc;
}

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
  /** Expiries of a tenant by fact id, strictly after this one. */
  expiriesAfter(tenantId: string, factId: string, limit: number): Promise<Expiry[]>;
}

/** The same inside a write transaction, whose reads see its own writes. Its tables also take rows and signals. */
export interface PluginTransaction
  extends PluginSnapshot,
    Pick<WriteTransaction, 'cover' | 'setExpiry' | 'raisePastFloor' | 'dropPast' | 'takeNumbers' | 'addLinks'> {
  /**
   * Adds entries of a declared kind to the feed, one for each subject, and returns the stamp of the last one. Not for a
   * transaction that stores facts, which have stamps of their own.
   */
  announce(kind: Word, subjectIds: readonly string[], nowMs: number): Promise<Hlc>;
}
