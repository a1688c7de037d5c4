import type { Knex } from 'knex';
import { defineRef } from './define-ref.ts';
import type { FactOutline, Hlc, SizedOutline, StoredFact, TripleKey } from './fact.ts';
import type { Filter } from './fact-filter.ts';
import type { FactQuery, Row, RowPage, SqlValue, TripleQuery } from './fact-query.ts';
import type { FactLink, LedgerEntry, LedgerHead, LedgerQuery, LedgerRange, WriteRecord } from './ledger.ts';
import type { OwnedMigration } from './migration.ts';
import type { CopyOptions, StoreCopy } from './store-copy.ts';

/** Kinds of feed entries that every node knows. Plugins declare further ones. */
export const CORE_FEED_KINDS = { fact: 'a fact was committed' } as const;
export type CoreFeedKind = keyof typeof CORE_FEED_KINDS;

/** One entry of the feed: facts in the order in which this node committed them. */
export interface FeedEntry {
  readonly stamp: Hlc;
  readonly kind: CoreFeedKind | (string & Record<never, never>);
  readonly subjectId: string;
  readonly tenantId: string;
}

export interface AnnouncedQuery {
  readonly tenantId: string;
  readonly kind: string;
  readonly after: Hlc;
  readonly upTo: Hlc;
  readonly limit: number;
}

/** Ends the life of every fact of its triple and place with a lower origin stamp: a retraction, or a resolution. */
export interface Cover extends TripleKey {
  readonly kind: 'retraction' | 'resolution';
  readonly factId: string;
  readonly hlc: Hlc;
  /** Feed stamp from which on it counts: that of the fact, or of a later one that made a cover of it. */
  readonly since: Hlc;
}

/** What a fact refers to. */
export interface FactReferences {
  /** Its number in the ledger of its tenant. */
  readonly number: number;
  readonly id: string;
  readonly derivedFrom: readonly string[];
}

/** A consistent view of the committed store: every call of one snapshot sees the same state. */
export interface Snapshot {
  /**
   * Facts that satisfy the filter, in order. No visibility is added: the caller of the port brings it in the filter.
   */
  find(query: FactQuery): Promise<StoredFact[]>;
  /**
   * Facts that satisfy the filter, without their values, in no order: for judging whole triples. All of them, or so
   * many of them where there is a limit.
   */
  outline(filter: Filter, limit?: number): Promise<SizedOutline[]>;
  /**
   * Facts that satisfy the filter, without their values, ordered by entity key, relation key, scope and place (by
   * bytes, ascending), and within the place weakest first: confidence, hlc, id. For walking through a tenant page by
   * page: a page costs what it reads, wherever it begins.
   */
  outlineByTriple(query: TripleQuery): Promise<FactOutline[]>;
  /** Those of these entity keys about which the tenant has a fact that satisfies the filter; in no order. */
  entitiesWith(tenantId: string, entityKeys: readonly string[], filter: Filter): Promise<string[]>;
  /** Number of facts that satisfy the filter. */
  count(filter: Filter): Promise<number>;
  /**
   * For each triple, up to `limit` facts of its place with confidence above 0 that are neither expired at `nowMs` nor
   * covered; strongest first (confidence, then hlc). Unscoped: contradiction detection must see everything.
   */
  siblings(triples: readonly TripleKey[], nowMs: number, limit: number): Promise<FactOutline[][]>;
  /** Entries of the ledger of one tenant, in order: see `ports/ledger.ts`. */
  ledger<M extends keyof LedgerEntry = keyof LedgerEntry>(query: LedgerQuery<M>): Promise<Pick<LedgerEntry, M>[]>;
  /** Number of entries. */
  ledgerCount(range: LedgerRange): Promise<number>;
  ledgerHead(tenantId: string): Promise<LedgerHead>;
  /** Every tenant with a ledger, and the highest number that was given out in it; in no order. */
  ledgerEnds(): Promise<readonly { readonly tenantId: string; readonly number: number }[]>;
  /** Facts of the tenant that refer to others (`derivedFrom`), those with numbers strictly above it, oldest first. */
  references(tenantId: string, above: number, limit: number): Promise<FactReferences[]>;
  /** Number of the tenant's first fact with this feed stamp or a later one; undefined when there is none. */
  ledgerNumberAt(tenantId: string, feed: Hlc): Promise<number | undefined>;
  /** Feed entries of all tenants strictly after the stamp, ascending. */
  feedAfter(stamp: Hlc, limit: number): Promise<FeedEntry[]>;
  /** Entries that were announced in one tenant, of one kind, after a stamp and up to another one, ascending. */
  announced(query: AnnouncedQuery): Promise<FeedEntry[]>;
  /** Stamp of the newest feed entry, null while the feed is empty. */
  head(): Promise<Hlc | null>;
  /**
   * Identifies the history of this store; changes after a restore (`saveClock` with an epoch), and where the engine can
   * tell, after a failover or a recovery that may have lost commits. Callers that keep a position in the feed outside
   * the store keep the epoch with it, and start over when it changes.
   */
  epoch(): Promise<string>;
  /**
   * The earliest feed stamp as of which the state of the store is known: of moments before it, rows that were replaced
   * since are gone. Zero for a store that has kept all.
   */
  pastFloor(): Promise<Hlc>;
  /**
   * The store's own time, milliseconds since the epoch: the same clock for every process on it. Not fixed by the
   * snapshot: it says when it was asked.
   */
  databaseMs(): Promise<number>;
  /** Query builder on one table, bound to this snapshot. For cold paths; rows come back with the engine's scalars. */
  table(name: string): Knex.QueryBuilder;
  /**
   * Rows whose columns equal the given values, an array meaning any of them; in no order but that of a page. The
   * statement is prepared once per combination of table and columns, so this is the hot path's read.
   */
  select(
    table: string,
    where: Readonly<Record<string, SqlValue | readonly SqlValue[]>>,
    page?: RowPage,
  ): Promise<Record<string, SqlValue>[]>;
}

/** A write transaction. Its reads see its own writes. */
export interface WriteTransaction extends Snapshot {
  /**
   * Inserts facts of the transaction's tenant, and numbers them in their order. The tenant must have none of their ids:
   * if it has one, the transaction fails, with this call, a later one or its commit. `records` has a record for each
   * fact; without, the writer is who asserted it, and there is neither salt nor link.
   */
  insert(facts: readonly StoredFact[], records?: readonly WriteRecord[]): Promise<void>;
  /**
   * The first of `count` numbers of the tenant's ledger, one after another, above all that were given out before. For
   * entries that are no facts and stand among them; the caller keeps them.
   */
  takeNumbers(count: number): Promise<number>;
  /**
   * Adds entries about something else than a new fact to the feed of the transaction's tenant. Their stamps ascend, and
   * lie above all that were given out.
   */
  announce(entries: readonly Omit<FeedEntry, 'tenantId'>[]): Promise<void>;
  /** Adds the links of facts that have none. Throws for one that has a link. */
  addLinks(links: readonly { readonly number: number; readonly link: FactLink }[]): Promise<void>;
  /**
   * Destroys what facts of the tenant say: value, value key, content id, salt. Keeps `commitment` in place of the
   * value, and everything else. Irreversible. Nothing happens to a fact that is erased already. The store refuses every
   * other change of a fact.
   */
  erase(facts: readonly { readonly id: string; readonly commitment: Uint8Array }[]): Promise<void>;
  /**
   * Puts `REDACTED_REFERENCE` in place of references of facts of the tenant: `derivedFrom` is the list as it is to be,
   * and the store refuses every other change of it.
   */
  redact(facts: readonly Pick<FactReferences, 'id' | 'derivedFrom'>[]): Promise<void>;
  /**
   * Inserts rows into a table, all with the members of the first one; the statement is prepared once. Whether the table
   * takes them may show only with a later call of the transaction, or with its commit.
   */
  insertRows(table: string, rows: readonly Row[]): Promise<void>;
  /** Records covers. Idempotent by fact id. */
  cover(covers: readonly Cover[]): Promise<void>;
  /**
   * Sets when a fact expires (milliseconds since the epoch), by the authority of the `svc:ttl` fact stamped `hlc`. The
   * newest stamp counts, whatever the order of the calls. `since` is the feed stamp from which on, `hlc` without it;
   * the expiry that it takes the place of is kept for reads as of earlier moments.
   */
  setExpiry(factId: string, expiresMs: number, hlc: Hlc, since?: Hlc): Promise<void>;
  /** Raises `pastFloor`, of all tenants. Nothing happens where it is as high already. */
  raisePastFloor(stamp: Hlc): Promise<void>;
  /**
   * Deletes up to `limit` rows of the tenant that only reads as of moments before the floor would need. Returns how
   * many it deleted.
   */
  dropPast(limit: number): Promise<number>;
  /** The node's clock, locked until the transaction ends. */
  lockClock(): Promise<Hlc>;
  /**
   * Stores the clock, which must not go backwards within a transaction. With an `epoch` that was never used before (a
   * UUID), another history of the store begins: see `Snapshot.epoch`.
   */
  saveClock(clock: Hlc, epoch?: string): Promise<void>;
  /**
   * Calls the listeners of the topic, in every process on the store, when the transaction commits, and not when it
   * rolls back; once, however often it is raised. At most 200 characters. A commit that raises one costs more: not for
   * what every fact does.
   */
  signal(topic: string): void;
}

/**
 * The store of facts and of everything that follows from them. The only shared state of a node.
 *
 * Errors: `unavailable` when the store cannot be reached, is locked beyond its timeout or is full; `commit_unknown`
 * when the connection was lost while committing. Neither says that nothing was written except `unavailable`, which
 * does.
 */
export interface FactStore {
  /**
   * Runs `work` on a snapshot of what is committed. The snapshot ends with the promise; using it later throws. Reads
   * never wait for a writer and never block one.
   */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction and commits when it resolves; rolls back, and rejects alike, when it rejects. Writes
   * of one tenant run one after another, so that the order of stamps is the order of commits over all processes, and
   * whatever `work` reads contains every earlier write of the tenant. The promise resolves after the commit is durable.
   * Not reentrant: `write` inside `work` would wait for itself, and throws at once where `insideWrite` tells.
   */
  write<T>(tenantId: string, work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Removes a tenant, a piece with each call: deletes up to `limit` of its rows, of whatever table with a column
   * `tenant_id`, in a write of the tenant. `record` runs in the same transaction with the number of deleted rows by
   * table. Returns whether rows may be left. From the first call on every other write of the tenant is refused with
   * `authorization`, for ever. The tenant `default` cannot be removed. May run again, and beside a run of another
   * process.
   */
  removeTenant(
    tenantId: string,
    limit: number,
    record: (transaction: WriteTransaction, removed: ReadonlyMap<string, number>) => Promise<void>,
  ): Promise<boolean>;
  /**
   * Query builder on one table, outside any transaction: each query runs, and commits, by itself. Must not be used
   * inside `work` of a write, where it would wait for itself; the plugin API refuses that before it happens.
   */
  table(name: string): Knex.QueryBuilder;
  /**
   * Calls `listener` soon after each commit that raised the topic, in whatever process on the store: in the one that
   * wrote before its promise resolves, in others within a second. A hint and no more: calls may be merged, may come
   * without a signal, and come once for everything that an outage may have swallowed; what there is to know is in the
   * store, and is visible by then. `listener` must not throw. Returns a function that ends it. Never rejects and never
   * throws; after `close` nothing is called any more.
   */
  onSignal(topic: string, listener: () => void): () => void;
  /** Optional: true inside `work` of a write, on the same asynchronous path, where the store watches for it. */
  insideWrite?(): boolean;
  /**
   * Applies what the ledger lacks, in ascending order, one process at a time, and returns it. With `isTrial` it changes
   * nothing, and returns what it would apply. `onProgress` gets a line about the migration at work after each of its
   * transactions. Refuses with `unavailable` and a hint when a core number in the ledger is higher than any given.
   */
  migrate(
    migrations: readonly OwnedMigration[],
    options?: { readonly isTrial?: boolean; readonly onProgress?: (line: string) => void },
  ): Promise<readonly OwnedMigration[]>;
  /** Optional: another number after every commit, of any process; undefined while it cannot tell. Never throws. */
  version?(): number | undefined;
  /** Resolves when a write could be made now, rejects with `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Names of all tables, sorted. */
  tables(): Promise<string[]>;
  /**
   * Removes from the files of the store what earlier transactions have erased or deleted, as far as the engine can, and
   * resolves when it is gone. Writes wait meanwhile. Returns sentences that say where such bytes may still lie. Safe to
   * repeat after a crash. Rejects with `unavailable` when another process kept it from its work for too long.
   */
  scrub(): Promise<readonly string[]>;
  /**
   * Optional: writes a copy of all that is committed, as of one moment, into a folder that is there and empty. Reads
   * and writes go on meanwhile, in whatever process. Every file is on the disk when the promise resolves. Rejects with
   * `unavailable` when the disk is full or the store fails; what was written until then is the caller's to remove. A
   * store without it cannot be backed up by the node.
   */
  copyInto?(folder: string, options?: CopyOptions): Promise<StoreCopy>;
  /** Waits for running work, then closes. Idempotent. */
  close(): Promise<void>;
}

export const FactStore = defineRef<FactStore>('port.store');
