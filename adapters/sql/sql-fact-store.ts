import { AsyncLocalStorage } from 'node:async_hooks';
import type { Knex } from 'knex';
import {
  type ContentSeal,
  type CopyOptions,
  DEFAULT_TENANT,
  type EndedPeriods,
  type FactStore,
  type OwnedMigration,
  type Snapshot,
  type StoreCopy,
  type StructureCheck,
  type StructureProgress,
  type WriteTransaction,
} from '../../ports/ports.ts';
import type { SealedEngine } from './change-keys.ts';
import { destroyKeys, destroyTenantKeys } from './destroy-keys.ts';
import { endPeriods } from './end-periods.ts';
import { FactCache } from './fact-cache.ts';
import { FactStatements } from './fact-statements.ts';
import { applyMigrations } from './migration-ledger.ts';
import { askWhetherRemoved, removeRows } from './remove-tenant.ts';
import { freshKeys } from './seal-version.ts';
import { formOf } from './sealed-form.ts';
import type { SqlEngine, SqlSession } from './sql-engine.ts';
import { SqlSnapshot } from './sql-snapshot.ts';
import { SqlWriteTransaction } from './sql-write-transaction.ts';

/** Creates the fact store over an SQL engine. */
export const createSqlFactStore = (engine: SqlEngine, options: SqlFactStoreOptions): FactStore =>
  new SqlFactStore(engine, options);

export interface SqlFactStoreOptions {
  /**
   * Whether to detect at once that a write is started inside a write. The check tracks every promise of the process,
   * which costs a node some 8 % of its throughput. A production node goes without it; there, such a write fails at its
   * time limit.
   */
  readonly watchNesting: boolean;
  /** The memory of the fact cache in bytes; 0 disables the cache. */
  readonly cacheBytes: number;
  /** Seals what the facts say. Without it the store is clear. A store is sealed or clear as a whole. */
  readonly seal?: ContentSeal | undefined;
}

/** The default memory of the fact cache, in bytes. */
export const DEFAULT_CACHE_BYTES = 64 * 2 ** 20;

/**
 * The mark of a running write. It is cleared at the end, because a timer that the write has started is no longer part
 * of it.
 */
interface WriteMark {
  readonly store: FactStore;
  open: boolean;
}

/** Shared by all stores of the process, because each further instance slows down all promises for good. */
const writeMarks = new AsyncLocalStorage<WriteMark>();

const lockOf = (tenantId: string): string => `append:${tenantId}`;

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, count) => total + count, 0);

class SqlFactStore implements FactStore {
  /** Absent when the check is off. A function that always returns false would claim a check that never happens. */
  readonly insideWrite?: () => boolean;
  readonly #engine: SqlEngine;
  readonly #statements: FactStatements;
  readonly #cache: FactCache | undefined;
  /** Undefined in a clear store. */
  readonly #sealed: SealedEngine | undefined;
  /** Sentences about the keys of removed tenants, for the next scrub. */
  #keyLimits: readonly string[] = [];

  readonly recordChanges?: NonNullable<FactStore['recordChanges']>;
  readonly replicas?: NonNullable<FactStore['replicas']>;

  constructor(engine: SqlEngine, { watchNesting, cacheBytes, seal }: SqlFactStoreOptions) {
    this.#cache = cacheBytes === 0 ? undefined : new FactCache(cacheBytes);
    this.#engine = engine;
    if (watchNesting) this.insideWrite = () => this.#isMarked();
    if (engine.replicas !== undefined) this.replicas = engine.replicas.bind(engine);
    if (engine.recordChanges !== undefined) this.recordChanges = engine.recordChanges.bind(engine);
    this.#sealed = seal && { engine, seal, lockOf };
    this.#statements = new FactStatements(engine.dialect, formOf(seal));
  }

  read<T>(work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    const cache = this.#cache?.forRead();
    return this.#engine.read((session) =>
      work(new SqlSnapshot(session, this.#engine.dialect, this.#statements, cache)),
    );
  }

  write<T>(tenantId: string, work: (transaction: WriteTransaction) => Promise<T>): Promise<T> {
    if (this.insideWrite?.()) {
      throw new Error('a write inside a write would wait for itself: use the transaction that is already open');
    }
    let erased: readonly string[] = [];
    const written = this.#engine.write(lockOf(tenantId), async (session) => {
      const refused = askWhetherRemoved(session, tenantId);
      const transaction = this.#transaction(session, tenantId);
      const result = await this.#transact(transaction, work);
      if (refused !== undefined) await refused;
      erased = transaction.erased;
      return result;
    });
    if (this.#cache === undefined) return written;
    // Removes erased facts from the cache. They are unreachable already, but their text must not stay in memory.
    return written.finally(() => {
      if (erased.length > 0) this.#cache?.drop(tenantId, erased);
    });
  }

  async removeTenant(
    tenantId: string,
    limit: number,
    record: (transaction: WriteTransaction, removed: ReadonlyMap<string, number>) => Promise<void>,
  ): Promise<boolean> {
    if (tenantId === DEFAULT_TENANT) throw new Error('the tenant default is never removed');
    const removing = this.#removePiece(tenantId, limit, record);
    // Waits for the commit, because reads may cache the tenant's facts until then.
    const mayHaveMore = await removing.finally(() => this.#cache?.dropTenant(tenantId));
    if (this.#sealed !== undefined && !mayHaveMore) {
      this.#keyLimits = [...this.#keyLimits, ...(await destroyTenantKeys(this.#sealed, tenantId))];
    }
    return mayHaveMore;
  }

  #removePiece(tenantId: string, limit: number, record: Parameters<FactStore['removeTenant']>[2]): Promise<boolean> {
    return this.#engine.write(lockOf(tenantId), async (session) => {
      const removed = await removeRows(session, this.#engine.dialect, tenantId, limit);
      await this.#transact(this.#transaction(session, tenantId), (transaction) => record(transaction, removed));
      return sum(removed.values()) >= limit;
    });
  }

  #transaction(session: SqlSession, tenantId: string): SqlWriteTransaction {
    // Asks at once, because the answer then comes together with those of other statements.
    const keys = this.#sealed && freshKeys(session, this.#sealed.seal, tenantId);
    // Handles the rejection, because the write awaits the promise only later and may fail before.
    keys?.catch(() => {});
    return new SqlWriteTransaction(session, this.#engine.dialect, this.#statements, tenantId, keys);
  }

  async #transact<T>(
    transaction: SqlWriteTransaction,
    work: (transaction: WriteTransaction) => Promise<T>,
  ): Promise<T> {
    const result = this.insideWrite !== undefined ? await this.#watched(work, transaction) : await work(transaction);
    await transaction.ready();
    await transaction.saveLedgers();
    return result;
  }

  async #watched<T>(work: (transaction: WriteTransaction) => Promise<T>, transaction: WriteTransaction): Promise<T> {
    const mark: WriteMark = { store: this, open: true };
    try {
      return await writeMarks.run(mark, work, transaction);
    } finally {
      mark.open = false;
    }
  }

  table(name: string): Knex.QueryBuilder {
    if (this.insideWrite?.()) {
      throw new Error('a query of its own inside a write would wait for that write: use the table of the transaction');
    }
    return this.#engine.table(name);
  }

  onSignal(topic: string, listener: () => void): () => void {
    return this.#engine.onSignal(topic, listener);
  }

  #isMarked(): boolean {
    const mark = writeMarks.getStore();
    return mark?.store === this && mark.open;
  }

  migrate(
    migrations: readonly OwnedMigration[],
    options?: Parameters<FactStore['migrate']>[1],
  ): Promise<readonly OwnedMigration[]> {
    return applyMigrations({ engine: this.#engine, statements: this.#statements }, migrations, options);
  }

  version(): number | undefined {
    return this.#engine.version?.();
  }

  ping(): Promise<void> {
    return this.#engine.ping();
  }

  tables(): Promise<string[]> {
    return this.#engine.read(async (session) => {
      const rows = await session.rows(this.#engine.dialect.queries.tableNames, []);
      return rows.map(([name]) => name as string).sort();
    });
  }

  async scrub(): Promise<readonly string[]> {
    if (this.#sealed === undefined) return this.#engine.scrub();
    // Before the files, because facts that are sealed anew leave remains of their own.
    const ofKeys = await destroyKeys(this.#sealed);
    const limits = [...new Set([...this.#keyLimits, ...ofKeys]), ...(await this.#engine.scrub())];
    this.#keyLimits = [];
    return limits;
  }

  async endPeriods(ended: EndedPeriods): Promise<readonly string[]> {
    return this.#sealed === undefined ? [] : endPeriods(this.#sealed, ended);
  }

  copyInto(folder: string, options: CopyOptions = {}): Promise<StoreCopy> {
    return this.#engine.copyInto(folder, options);
  }

  checkStructure(onProgress: StructureProgress): Promise<StructureCheck> {
    return this.#engine.checkStructure(onProgress);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}
