import type { Knex } from 'knex';
import type { EndedPeriods } from './content-seal.ts';
import type { Cover } from './cover.ts';
import { defineRef } from './define-ref.ts';
import type { FactOutline, Hlc, SizedOutline, StoredFact, TripleKey } from './fact.ts';
import type { Filter } from './fact-filter.ts';
import type {
  EntityPage,
  EntityQuery,
  FactQuery,
  OutlineOrder,
  Row,
  RowPage,
  SqlValue,
  TextQuery,
  TripleQuery,
} from './fact-query.ts';
import type { AnnouncedQuery, FeedEntry } from './feed.ts';
import type { FactLink, LedgerEntry, LedgerHead, LedgerQuery, LedgerRange, WriteRecord } from './ledger.ts';
import type { OwnedMigration } from './migration.ts';
import type { ReadReplica } from './read-replica.ts';
import type { ChangeRecorder, CopyOptions, RecordOptions, StoreCopy } from './store-copy.ts';
import type { StructureCheck, StructureProgress } from './structure-check.ts';

/** The references of one fact. */
export interface FactReferences {
  /** The number of the fact in the ledger of its tenant. */
  readonly number: number;
  readonly id: string;
  readonly derivedFrom: readonly string[];
}

/** A consistent view of the committed store. All calls of one snapshot see the same state. */
export interface Snapshot {
  /** Returns facts that satisfy the filter, in order. Not filtered by visibility: the caller of the port adds that. */
  find(query: FactQuery): Promise<StoredFact[]>;
  /**
   * Returns facts that satisfy the filter, without their values, for checking whole triples and for ranking. Returns
   * all of them, or at most `limit`: the first ones in `order`, or any without it. The result itself has no order.
   */
  outline(filter: Filter, limit?: number, order?: OutlineOrder): Promise<SizedOutline[]>;
  /**
   * Returns facts that satisfy the filter, without their values. Ordered by entity key, relation key, scope and place
   * (by bytes, ascending), and within the place weakest first: confidence, hlc, id. For reading a whole tenant page by
   * page: the cost does not depend on the position of the page.
   */
  outlineByTriple(query: TripleQuery): Promise<FactOutline[]>;
  /** Returns the entity keys among these with a fact of the tenant that satisfies the filter, in no order. */
  entitiesWith(tenantId: string, entityKeys: readonly string[], filter: Filter): Promise<string[]>;
  /** Returns the next entities of a tenant, by the order of their keys. Its cost depends on the limit alone. */
  entities(query: EntityQuery): Promise<EntityPage>;
  /** Returns the texts of a member in facts of a tenant, each once, at most `limit`, in no order: see `TextQuery`. */
  texts(query: TextQuery): Promise<string[]>;
  /** Returns the number of facts that satisfy the filter. */
  count(filter: Filter): Promise<number>;
  /**
   * Returns for each triple up to `limit` facts of its place with confidence above 0 that are neither expired at
   * `nowMs` nor covered; strongest first (confidence, then hlc). Includes facts hidden from callers, because
   * contradiction detection must see everything.
   */
  siblings(triples: readonly TripleKey[], nowMs: number, limit: number): Promise<FactOutline[][]>;
  /** Returns entries of the ledger of one tenant, in order: see `ports/ledger.ts`. */
  ledger<M extends keyof LedgerEntry = keyof LedgerEntry>(query: LedgerQuery<M>): Promise<Pick<LedgerEntry, M>[]>;
  /** Returns the number of ledger entries in the range. */
  ledgerCount(range: LedgerRange): Promise<number>;
  ledgerHead(tenantId: string): Promise<LedgerHead>;
  /** Returns every tenant with a ledger, except removed ones, and its highest number so far; in no order. */
  ledgerEnds(): Promise<readonly { readonly tenantId: string; readonly number: number }[]>;
  /** Returns facts of the tenant that refer to others (`derivedFrom`), with numbers above `above`, oldest first. */
  references(tenantId: string, above: number, limit: number): Promise<FactReferences[]>;
  /**
   * Returns the number of the tenant's first fact with this feed stamp or a later one; undefined without such a fact.
   */
  ledgerNumberAt(tenantId: string, feed: Hlc): Promise<number | undefined>;
  /** Returns feed entries of all tenants strictly after the stamp, ascending. */
  feedAfter(stamp: Hlc, limit: number): Promise<FeedEntry[]>;
  /** Returns the announced entries of one tenant and kind, after a stamp and up to another one, ascending. */
  announced(query: AnnouncedQuery): Promise<FeedEntry[]>;
  /** Returns the stamp of the newest feed entry; null while the feed is empty. */
  head(): Promise<Hlc | null>;
  /**
   * Identifies the history of this store. It changes after a restore (`saveClock` with an epoch), and, where the engine
   * can tell, after a failover or a recovery that may have lost commits. Callers that save a position in the feed
   * outside the store save the epoch with it, and start over when it changes.
   */
  epoch(): Promise<string>;
  /**
   * Returns the earliest feed stamp for which reads of the past are complete, because older replaced rows may be
   * deleted. Zero when the store has all of them.
   */
  pastFloor(): Promise<Hlc>;
  /**
   * Returns the store's current time in milliseconds since the epoch, which is the same clock for every process. The
   * snapshot does not fix it.
   */
  databaseMs(): Promise<number>;
  /**
   * Returns a query builder on one table, bound to this snapshot. For infrequent queries; rows have the engine's
   * scalars.
   */
  table(name: string): Knex.QueryBuilder;
  /**
   * Returns rows whose columns equal the given values; an array means any of them. Only a page has an order. The
   * statement is prepared once per combination of table and columns, for frequent queries.
   */
  select(
    table: string,
    where: Readonly<Record<string, SqlValue | readonly SqlValue[]>>,
    page?: RowPage,
  ): Promise<Record<string, SqlValue>[]>;
}

/** A write transaction, whose reads include its own writes. */
export interface WriteTransaction extends Snapshot {
  /**
   * Inserts facts of the transaction's tenant, and numbers them in their order. The tenant must have none of their ids:
   * otherwise the transaction fails, at this call, a later one or its commit. `records` has a record for each fact;
   * without it `assertedBy` is the writer, and there is neither salt nor link.
   */
  insert(facts: readonly StoredFact[], records?: readonly WriteRecord[]): Promise<void>;
  /**
   * Returns the first of `count` consecutive numbers of the tenant's ledger, above all earlier ones. For entries that
   * are not facts, which the caller stores itself.
   */
  takeNumbers(count: number): Promise<number>;
  /**
   * Adds entries that are not about new facts to the feed of the transaction's tenant. Their stamps ascend, and are
   * above all earlier ones.
   */
  announce(entries: readonly Omit<FeedEntry, 'tenantId'>[]): Promise<void>;
  /** Adds links to facts. Throws for a fact that has a link. */
  addLinks(links: readonly { readonly number: number; readonly link: FactLink }[]): Promise<void>;
  /**
   * Destroys the content of facts of the tenant: value, value key, content id, salt. Puts `commitment` in place of the
   * value, and preserves everything else. Irreversible. Skips facts that are erased already. The store refuses every
   * other change of a fact.
   */
  erase(facts: readonly { readonly id: string; readonly commitment: Uint8Array }[]): Promise<void>;
  /**
   * Puts `REDACTED_REFERENCE` in place of references of facts of the tenant: `derivedFrom` is the new list. The store
   * refuses every other change of it.
   */
  redact(facts: readonly Pick<FactReferences, 'id' | 'derivedFrom'>[]): Promise<void>;
  /**
   * Inserts rows into a table, all with the members of the first one; the statement is prepared once. A refusal by the
   * table may show only at a later call of the transaction, or at its commit.
   */
  insertRows(table: string, rows: readonly Row[]): Promise<void>;
  /** Records covers. Idempotent by fact id and named fact. */
  cover(covers: readonly Cover[]): Promise<void>;
  /**
   * Sets when a fact expires (milliseconds since the epoch), by the authority of the `svc:ttl` fact stamped `hlc`. The
   * newest stamp counts, in any order of calls. `since` is the feed stamp from which on it counts, `hlc` by default. A
   * replaced expiry stays for reads as of earlier moments.
   */
  setExpiry(factId: string, expiresMs: number, hlc: Hlc, since?: Hlc): Promise<void>;
  /** Raises `pastFloor` for all tenants. Does nothing when it is as high already. */
  raisePastFloor(stamp: Hlc): Promise<void>;
  /**
   * Deletes up to `limit` rows of the tenant that only reads of the past before the floor need. Returns their number.
   */
  dropPast(limit: number): Promise<number>;
  /**
   * Returns the number of the period with whose keys this transaction seals texts, the same with each call; undefined
   * in a clear store. Callers call this before they seal the first such text. The transaction is refused with
   * `unavailable` where it lasts so long that the keys may be gone at its commit.
   */
  period(): Promise<number | undefined>;
  /** Locks the node's clock until the transaction ends, and returns it. */
  lockClock(): Promise<Hlc>;
  /**
   * Stores the clock, which must not go backwards within a transaction. With a new `epoch` (a UUID), another history of
   * the store begins: see `Snapshot.epoch`.
   */
  saveClock(clock: Hlc, epoch?: string): Promise<void>;
  /**
   * Calls the listeners of the topic, in every process on the store, when the transaction commits; once for all calls,
   * and never after a rollback. At most 200 characters. A commit with a signal costs more, so use it for rare changes,
   * not for every fact.
   */
  signal(topic: string): void;
}

/**
 * Stores facts and all data derived from them, and is the only state that the processes of a node share. Errors:
 * `unavailable` when the store is unreachable, locked beyond its timeout or full, and nothing was written;
 * `commit_unknown` when the connection was lost during a commit, which may have succeeded.
 */
export interface FactStore {
  /**
   * Runs `work` on a snapshot of the committed state. The snapshot ends with the promise; using it later throws. Reads
   * never wait for a writer and never block one.
   */
  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T>;
  /**
   * Runs `work` in a transaction, commits when it resolves, and rolls back and rejects when it rejects. Writes of one
   * tenant run one after another. So the order of stamps is the order of commits over all processes, and reads of
   * `work` see every earlier write of the tenant. The promise resolves after the commit is durable. Not reentrant:
   * `write` inside `work` would wait for itself, and throws at once where `insideWrite` can tell.
   */
  write<T>(tenantId: string, work: (transaction: WriteTransaction) => Promise<T>): Promise<T>;
  /**
   * Removes a tenant, a piece with each call: deletes up to `limit` of its rows, from all tables with a column
   * `tenant_id`, in a write of the tenant. `record` runs in the same transaction with the number of deleted rows by
   * table. Returns whether rows may be left. From the first call on every other write of the tenant is refused with an
   * `ErasedTenant`, for ever. The tenant `default` cannot be removed. Safe to repeat, and to run in several processes
   * at once.
   */
  removeTenant(
    tenantId: string,
    limit: number,
    record: (transaction: WriteTransaction, removed: ReadonlyMap<string, number>) => Promise<void>,
  ): Promise<boolean>;
  /**
   * Returns a query builder on one table, outside any transaction: each query commits by itself. Must not be used
   * inside `work` of a write, where it would wait for itself; the plugin API refuses that in advance.
   */
  table(name: string): Knex.QueryBuilder;
  /**
   * Calls `listener` soon after each commit that raised the topic, of any process on the store. In the writing process
   * it is called before the write resolves, in others within a second. A hint without content: calls may be merged, may
   * come without a signal, and come once after an outage in which signals may have been lost. The change itself is in
   * the store, and visible by then. `listener` must not throw. Returns a function that ends it. Never rejects and never
   * throws; no call follows `close`.
   */
  onSignal(topic: string, listener: () => void): () => void;
  /** Returns true inside `work` of a write. Stores have it only in tests, because it slows down every promise. */
  insideWrite?(): boolean;
  /**
   * Applies the migrations that the ledger lacks, in ascending order, one process at a time, and returns them. With
   * `isTrial` it changes nothing, and returns those that it would apply. `onProgress` gets a line about the current
   * migration after each of its transactions. Refuses with `unavailable` and a hint when a core number in the ledger is
   * higher than any given.
   */
  migrate(
    migrations: readonly OwnedMigration[],
    options?: { readonly isTrial?: boolean; readonly onProgress?: (line: string) => void },
  ): Promise<readonly OwnedMigration[]>;
  /**
   * Optional: returns a number that changes with every commit of any process; undefined when that is unknown. Never
   * throws.
   */
  version?(): number | undefined;
  /**
   * Optional: returns what this process knows of the servers that serve reads beside the primary, in the order of the
   * settings. Takes no longer than a second.
   */
  replicas?(): Promise<readonly ReadReplica[]>;
  /** Resolves when a write is possible now, rejects with `unavailable` otherwise. */
  ping(): Promise<void>;
  /** Returns the names of all tables, sorted. */
  tables(): Promise<string[]>;
  /**
   * Removes erased and deleted bytes of earlier transactions from the files of the store, as far as the engine can.
   * Resolves when they are gone. Writes go on meanwhile. Returns sentences about places that may still contain such
   * bytes. Safe to repeat after a crash. Rejects with `unavailable` when another process blocked it for too long.
   */
  scrub(): Promise<readonly string[]>;
  /**
   * Optional: begins another period of the keys of a sealed store when the present one has lasted long enough. Then
   * destroys each table's keys of the periods that are older than both its oldest row and the period that has just
   * ended. Does nothing in a clear store. Safe to repeat, and to call in several processes at once. Returns sentences
   * about copies of the keys that it could not replace.
   */
  endPeriods?(ended: EndedPeriods): Promise<readonly string[]>;
  /**
   * Optional: writes a copy of the committed state of one moment into an existing empty folder. Reads and writes of all
   * processes go on meanwhile. Every file is durable when the promise resolves. Rejects with `unavailable` when the
   * disk is full or the store fails; the caller removes a partial copy. A store without it cannot be backed up by the
   * node.
   */
  copyInto?(folder: string, options?: CopyOptions): Promise<StoreCopy>;
  /**
   * Optional: writes the committed changes of all processes into an existing folder until it is stopped, one process at
   * a time. It first empties the folder, unless a chain goes on. Delays no read and no write, and leaves the store's
   * files to the store.
   */
  recordChanges?(folder: string, options: RecordOptions): ChangeRecorder;
  /**
   * Optional: compares every table with its indexes, by the best means of the engine. Reads the whole store and changes
   * nothing. Writes of other processes go on meanwhile.
   */
  checkStructure?(onProgress: StructureProgress): Promise<StructureCheck>;
  /** Waits for running work, then closes. Idempotent. */
  close(): Promise<void>;
}

export const FactStore = defineRef<FactStore>('port.store');
