import { eachInTurn, grouped } from '../../kernel/internal-api.ts';
import {
  all,
  type ErasedFacts,
  equals,
  type FactView,
  isIn,
  isNull,
  type PluginTables,
  type ReadableTables,
  type Row,
  ServiceError,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { SearchView } from '../search/search-api.ts';
import { CountCache } from './count-cache.ts';
import type { RecallContext } from './recall-api.ts';
import { ACCESS_TABLE, PEAKS_TABLE } from './recall-migrations.ts';
import { accessSignal } from './salience.ts';

/**
 * The maximum number of facts with unwritten counts. Beyond it recalls are not counted, which is acceptable for a
 * signal.
 */
const MAX_PENDING = 50_000;
const FACTS_PER_STATEMENT = 500;
/** The signal after counts were written. */
export const COUNTS_WRITTEN = 'counts-written';
const NO_GARDEN = '';

/** Holds no text of the fact, because the fact may be erased before the count is written. */
interface Pending {
  readonly tenantId: string;
  readonly id: string;
  readonly scope: string;
  readonly gardenId: string;
  count: number;
}

/**
 * Counts how often each fact was recalled: a salience signal, not a record. Counts stay in memory and are written from
 * time to time, so that no recall waits for a write. A crash loses the latest counts, and a lost connection may. Counts
 * from the store are cached until a process writes again.
 */
export class AccessCounts {
  readonly #tables: PluginTables;
  readonly #cache = new CountCache();
  #pending = new Map<string, Pending>();

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  async erase({ tenantId, facts, transaction }: ErasedFacts): Promise<void> {
    const ids = idsOf(facts);
    for (const id of ids) this.#pending.delete(keyOf({ tenantId, id }));
    await deleteCounts(this.#tables.in(transaction), tenantId, ids);
    this.changed();
  }

  /** Discards cached counts. Call it after this or another process has written counts. */
  changed(): void {
    this.#cache.clear();
  }

  /** The age to pass to `signals` for a snapshot that is opened afterwards. */
  get age(): number {
    return this.#cache.age;
  }

  note(views: readonly Pick<FactView, 'fact'>[]): void {
    for (const { fact } of views) {
      const { tenantId, id, scope, gardenId } = fact;
      this.#add({ tenantId, id, scope, gardenId: gardenId ?? NO_GARDEN, count: 1 });
    }
  }

  /**
   * Returns the signal of each fact by id, 0 for facts that were never recalled. It is relative to the maximum within
   * the view, so that it reveals no use of other facts. `age` must be from before the snapshot was opened.
   */
  async signals(
    views: readonly FactView[],
    { reader, view }: RecallContext,
    age: number,
  ): Promise<(id: string) => number> {
    const own = this.#tables.in(reader.snapshot);
    const peak = await this.#peakOf(view, own, age);
    if (peak === 0) return () => 0;
    const { tenantId } = view;
    const counts = this.#cache.countsOf(tenantId, age);
    const missing = views.flatMap(({ fact: { id } }) => (counts.has(id) ? [] : [id]));
    if (missing.length > 0) {
      const rows = await own.select(ACCESS_TABLE, { tenant_id: tenantId, fact_id: missing });
      for (const id of missing) counts.set(id, 0);
      for (const row of rows) counts.set(String(row['fact_id']), Number(row['count']));
    }
    return (id) => accessSignal(counts.get(id) ?? 0, peak);
  }

  async #peakOf(view: SearchView, own: ReadableTables, age: number): Promise<number> {
    const parts = partsOf(view);
    const peaks = this.#cache.peaks(age);
    const key = JSON.stringify(parts);
    const known = peaks.get(key);
    if (known !== undefined) return known;
    const rows = await own.select(PEAKS_TABLE, parts);
    const peak = rows.reduce((most, row) => Math.max(most, Number(row['count'])), 0);
    peaks.set(key, peak);
    return peak;
  }

  /**
   * Writes the counts. Rejects as the store does, after it has tried every tenant. The next call retries the counts
   * that were certainly not stored.
   */
  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = new Map();
    await eachInTurn(
      grouped(pending.values(), ({ tenantId: of }) => of),
      async ([tenantId, counted]) => {
        try {
          while (counted.length > 0) {
            await this.#store(tenantId, counted.slice(0, FACTS_PER_STATEMENT));
            counted.splice(0, FACTS_PER_STATEMENT);
          }
        } catch (error) {
          // Counts of an unknown commit are dropped, so that none counts twice.
          if (error instanceof ServiceError && error.code === 'commit_unknown') counted.splice(0, FACTS_PER_STATEMENT);
          for (const one of counted) this.#add(one);
          throw error;
        }
      },
    );
  }

  /** Skips erased facts. A later erasure waits for this transaction, and then deletes the counts. */
  async #store(tenantId: string, counted: readonly Pending[]): Promise<void> {
    const among = all(equals('tenantId', tenantId), isIn('id', idsOf(counted)), isNull('cid'));
    await this.#tables.writeUnlessErased(tenantId, async (own, transaction) => {
      const erased = new Set(idsOf(await transaction.outline(among)));
      const kept = counted.filter(({ id }) => !erased.has(id));
      if (kept.length === 0) return;
      await add(own, tenantId, kept);
      own.signal(COUNTS_WRITTEN);
    });
    this.changed();
  }

  #add(one: Pending): void {
    const key = keyOf(one);
    const known = this.#pending.get(key);
    if (known !== undefined) known.count += one.count;
    else if (this.#pending.size < MAX_PENDING) this.#pending.set(key, one);
  }
}

/** Includes the tenant, because two tenants may have facts of the same id. */
const keyOf = ({ tenantId, id }: Pick<Pending, 'tenantId' | 'id'>): string => `${tenantId} ${id}`;

const partsOf = ({ tenantId, scopes, gardens, onlyGarden }: SearchView) => {
  const where = { tenant_id: tenantId, scope: [...scopes] };
  if (onlyGarden !== undefined) return { ...where, garden_id: onlyGarden };
  return gardens === 'all' ? where : { ...where, garden_id: [NO_GARDEN, ...gardens] };
};

const deleteCounts = async (own: WritableTables, tenantId: string, ids: readonly string[]): Promise<void> => {
  await own(ACCESS_TABLE).where({ tenant_id: tenantId }).whereIn('fact_id', ids).delete();
};

const idsOf = (facts: readonly { readonly id: string }[]): string[] => facts.map(({ id }) => id);

const add = async (own: WritableTables, tenantId: string, counted: readonly Pending[]): Promise<void> => {
  const ids = idsOf(counted);
  const stored = new Map(
    (await own.select(ACCESS_TABLE, { tenant_id: tenantId, fact_id: ids })).map((row) => [
      String(row['fact_id']),
      Number(row['count']),
    ]),
  );
  const fresh = counted.filter(({ id }) => !stored.has(id));
  const rows: Row[] = fresh.map(({ id, count }) => ({ fact_id: id, tenant_id: tenantId, count }));
  if (rows.length > 0) await own.insertRows(ACCESS_TABLE, rows);
  const known = counted.filter(({ id }) => stored.has(id));
  for (const [count, some] of grouped(known, ({ count }) => count)) {
    await own(ACCESS_TABLE)
      .where('tenant_id', tenantId)
      .whereIn(
        'fact_id',
        some.map(({ id }) => id),
      )
      .increment('count', count);
  }
  await raisePeaks(own, tenantId, counted, stored);
};

const raisePeaks = async (
  own: WritableTables,
  tenantId: string,
  counted: readonly Pending[],
  stored: ReadonlyMap<string, number>,
): Promise<void> => {
  const byPart = grouped(counted, ({ scope, gardenId }) => `${scope} ${gardenId}`);
  for (const some of byPart.values()) {
    const { scope, gardenId } = some[0] as Pending;
    const where = { tenant_id: tenantId, scope, garden_id: gardenId };
    const count = Math.max(...some.map(({ id, count }) => count + (stored.get(id) ?? 0)));
    const [peak] = await own.select(PEAKS_TABLE, where);
    if (peak === undefined) await own.insertRows(PEAKS_TABLE, [{ ...where, count }]);
    else if (Number(peak['count']) < count) await own(PEAKS_TABLE).where(where).update({ count });
  }
};
