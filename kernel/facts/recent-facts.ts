import { all, type FeedEntry, isIn, isNull, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { valueBytesOf } from './value-bytes.ts';

/** The maximum bytes of cached recent facts, which followers need not read from the store. */
const RECENT_BYTES = 8 * 1024 * 1024;
/** The estimated size of a fact without its value. */
const FACT_OVERHEAD_BYTES = 512;

/** Returns the size of a fact for the limits of a page, and of the cache of recent facts. */
export const weightOf = (fact: StoredFact): number => valueBytesOf([fact]) + FACT_OVERHEAD_BYTES;

/**
 * Caches the last facts that this process has committed. The feed decides the order of facts, and the store whether
 * they still exist. The cache has two halves and drops the older half as a whole, because deleting the oldest entries
 * of a map one by one is slow.
 */
export class RecentFacts {
  #newer = new Map<string, StoredFact>();
  #older = new Map<string, StoredFact>();
  #newerBytes = 0;

  add(facts: readonly StoredFact[]): void {
    for (const fact of facts) {
      if (this.#get(fact.id) !== undefined) continue;
      const bytes = weightOf(fact);
      if (this.#newerBytes > 0 && this.#newerBytes + bytes > RECENT_BYTES / 2) {
        this.#older = this.#newer;
        this.#newer = new Map();
        this.#newerBytes = 0;
      }
      this.#newer.set(fact.id, fact);
      this.#newerBytes += bytes;
    }
  }

  /** Removes these facts from memory. */
  erase(facts: readonly StoredFact[]): void {
    for (const { id } of facts) {
      this.#newer.delete(id);
      this.#older.delete(id);
    }
  }

  /** Returns the cached facts of a feed page, by id, without those that any process has erased. */
  async among(
    snapshot: Pick<PluginSnapshot, 'outline'>,
    entries: readonly FeedEntry[],
  ): Promise<ReadonlyMap<string, StoredFact>> {
    const known = new Map<string, StoredFact>();
    for (const { subjectId, tenantId } of entries) {
      const fact = this.#get(subjectId);
      // Compares the tenant, because two tenants may have facts with the same id.
      if (fact?.tenantId === tenantId) known.set(subjectId, fact);
    }
    if (known.size === 0) return known;
    const tenantIds = new Set([...known.values()].map(({ tenantId }) => tenantId));
    const these = all(isIn('tenantId', [...tenantIds]), isIn('id', [...known.keys()]));
    for (const { id } of await snapshot.outline(all(these, isNull('cid')))) known.delete(id);
    return known;
  }

  #get(id: string): StoredFact | undefined {
    return this.#newer.get(id) ?? this.#older.get(id);
  }
}
