import type { ErasedFacts, FactView, PluginTables, Row, WritableTables } from '../../kernel/plugin-api.ts';
import type { SearchView } from '../search/search-api.ts';
import { grouped } from './grouped.ts';
import type { RecallContext } from './recall-api.ts';
import { ACCESS_TABLE, PEAKS_TABLE } from './recall-migrations.ts';
import { accessSignal } from './salience.ts';

/**
 * Facts whose recalls are kept in memory until they are written; beyond it recalls go uncounted, which a signal can
 * bear.
 */
const MAX_PENDING = 50_000;
const FACTS_PER_STATEMENT = 500;
const NO_GARDEN = '';

interface Pending {
  readonly view: FactView;
  count: number;
}

/**
 * How often each fact was recalled: a salience signal, not a record. Counted in memory and written now and then, so
 * that no recall waits for a write; a crash loses the last moments.
 */
export class AccessCounts {
  readonly #tables: PluginTables;
  #pending = new Map<string, Pending>();

  constructor(tables: PluginTables) {
    this.#tables = tables;
  }

  /** Use says nothing of what a fact says; but nobody asks for it any more. */
  async erase({ tenantId, facts, transaction }: ErasedFacts): Promise<void> {
    const ids = facts.map(({ id }) => id);
    await this.#tables.in(transaction)(ACCESS_TABLE).where({ tenant_id: tenantId }).whereIn('fact_id', ids).delete();
  }

  note(views: readonly FactView[]): void {
    for (const view of views) this.#add({ view, count: 1 });
  }

  /**
   * By fact, for those that were ever recalled. The maximum is that of the facts that the view holds, so that no
   * other's use shows.
   */
  async signals(views: readonly FactView[], { reader, view }: RecallContext): Promise<ReadonlyMap<string, number>> {
    const own = this.#tables.in(reader.snapshot);
    const peaks = await own.select(PEAKS_TABLE, partsOf(view));
    const peak = peaks.reduce((most, row) => Math.max(most, Number(row['count'])), 0);
    if (peak === 0) return new Map();
    const rows = await own.select(ACCESS_TABLE, {
      tenant_id: view.tenantId,
      fact_id: views.map(({ fact }) => fact.id),
    });
    return new Map(rows.map((row) => [String(row['fact_id']), accessSignal(Number(row['count']), peak)]));
  }

  /**
   * Writes down what was counted. Rejects as the store does; what could not be written is then counted again with the
   * next.
   */
  async flush(): Promise<void> {
    const pending = this.#pending;
    this.#pending = new Map();
    try {
      for (const [tenantId, counted] of grouped(pending.values(), ({ view }) => view.fact.tenantId)) {
        for (let at = 0; at < counted.length; at += FACTS_PER_STATEMENT) {
          const some = counted.slice(at, at + FACTS_PER_STATEMENT);
          await this.#tables.write(tenantId, (own) => add(own, tenantId, some));
          for (const { view } of some) pending.delete(keyOf(view));
        }
      }
    } catch (error) {
      for (const one of pending.values()) this.#add(one);
      throw error;
    }
  }

  #add({ view, count }: Pending): void {
    const key = keyOf(view);
    const known = this.#pending.get(key);
    if (known !== undefined) known.count += count;
    else if (this.#pending.size < MAX_PENDING) this.#pending.set(key, { view, count });
  }
}

/** Two tenants may hold facts of the same id. */
const keyOf = ({ fact }: FactView): string => `${fact.tenantId} ${fact.id}`;

const partsOf = ({ tenantId, scopes, gardens, onlyGarden }: SearchView) => {
  const where = { tenant_id: tenantId, scope: [...scopes] };
  if (onlyGarden !== undefined) return { ...where, garden_id: onlyGarden };
  return gardens === 'all' ? where : { ...where, garden_id: [NO_GARDEN, ...gardens] };
};

const add = async (own: WritableTables, tenantId: string, counted: readonly Pending[]): Promise<void> => {
  const ids = counted.map(({ view }) => view.fact.id);
  const stored = new Map(
    (await own.select(ACCESS_TABLE, { tenant_id: tenantId, fact_id: ids })).map((row) => [
      String(row['fact_id']),
      Number(row['count']),
    ]),
  );
  const fresh = counted.filter(({ view }) => !stored.has(view.fact.id));
  const rows: Row[] = fresh.map(({ view, count }) => ({ fact_id: view.fact.id, tenant_id: tenantId, count }));
  if (rows.length > 0) await own.insertRows(ACCESS_TABLE, rows);
  const known = counted.filter(({ view }) => stored.has(view.fact.id));
  for (const [count, some] of grouped(known, ({ count }) => count)) {
    await own(ACCESS_TABLE)
      .where('tenant_id', tenantId)
      .whereIn(
        'fact_id',
        some.map(({ view }) => view.fact.id),
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
  const byPart = grouped(counted, ({ view: { fact } }) => `${fact.scope} ${fact.gardenId ?? NO_GARDEN}`);
  for (const some of byPart.values()) {
    const { scope, gardenId } = (some[0] as Pending).view.fact;
    const where = { tenant_id: tenantId, scope, garden_id: gardenId ?? NO_GARDEN };
    const count = Math.max(...some.map(({ view, count }) => count + (stored.get(view.fact.id) ?? 0)));
    const [peak] = await own.select(PEAKS_TABLE, where);
    if (peak === undefined) await own.insertRows(PEAKS_TABLE, [{ ...where, count }]);
    else if (Number(peak['count']) < count) await own(PEAKS_TABLE).where(where).update({ count });
  }
};
