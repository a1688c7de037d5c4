import { all, type FeedEntry, isIn, isNull, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { valueBytesOf } from './value-bytes.ts';

/** Of the values of the facts that are kept after their commit, so that followers need not read them. */
const RECENT_BYTES = 8 * 1024 * 1024;
/** Stands for the rest of a fact. */
const FACT_OVERHEAD_BYTES = 512;

/** What a fact weighs in a page, and among those that are kept. */
export const weightOf = (fact: StoredFact): number => valueBytesOf([fact]) + FACT_OVERHEAD_BYTES;

/**
 * Facts that this process has committed, the last ones. The feed alone says whether and when they are next, and the
 * store whether they are still there. They are kept in two halves, and the older half is dropped as a whole: a map from
 * which the oldest facts are deleted one by one walks past all deleted ones to find the next.
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

  /** Nothing of these facts is left in memory. */
  erase(facts: readonly StoredFact[]): void {
    for (const { id } of facts) {
      this.#newer.delete(id);
      this.#older.delete(id);
    }
  }

  /** Those of a page of the feed, by id, less what any process has erased. */
  async among(
    snapshot: Pick<PluginSnapshot, 'outline'>,
    entries: readonly FeedEntry[],
  ): Promise<ReadonlyMap<string, StoredFact>> {
    const known = new Map<string, StoredFact>();
    for (const { subjectId, tenantId } of entries) {
      const fact = this.#get(subjectId);
      // Two tenants may hold facts of the same id.
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
