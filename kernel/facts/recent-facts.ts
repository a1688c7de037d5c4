import { all, type FeedEntry, isIn, isNull, type StoredFact } from '../../ports/ports.ts';
import type { PluginSnapshot } from '../store/plugin-transaction.ts';
import { valueBytesOf } from './value-bytes.ts';

/** Of the values of the facts that are kept after their commit, so that followers need not read them. */
const RECENT_BYTES = 8 * 1024 * 1024;

/**
 * Facts that this process has committed, the last ones. The feed alone says whether and when they are next, and the
 * store whether they are still there.
 */
export class RecentFacts {
  readonly #facts = new Map<string, StoredFact>();
  #bytes = 0;

  add(facts: readonly StoredFact[]): void {
    for (const fact of facts) {
      if (this.#facts.has(fact.id)) continue;
      this.#facts.set(fact.id, fact);
      this.#bytes += weightOf(fact);
    }
    for (const fact of this.#facts.values()) {
      if (this.#bytes <= RECENT_BYTES) break;
      this.#drop(fact);
    }
  }

  /** Nothing of these facts is left in memory. */
  erase(facts: readonly StoredFact[]): void {
    for (const { id } of facts) {
      const known = this.#facts.get(id);
      if (known !== undefined) this.#drop(known);
    }
  }

  /** Those of a page of the feed, by id, less what any process has erased. */
  async among(snapshot: PluginSnapshot, entries: readonly FeedEntry[]): Promise<ReadonlyMap<string, StoredFact>> {
    const known = new Map<string, StoredFact>();
    for (const { subjectId, tenantId } of entries) {
      const fact = this.#facts.get(subjectId);
      // Two tenants may hold facts of the same id.
      if (fact?.tenantId === tenantId) known.set(subjectId, fact);
    }
    if (known.size === 0) return known;
    const tenantIds = new Set([...known.values()].map(({ tenantId }) => tenantId));
    const these = all(isIn('tenantId', [...tenantIds]), isIn('id', [...known.keys()]));
    for (const { id } of await snapshot.outline(all(these, isNull('cid')))) known.delete(id);
    return known;
  }

  #drop(fact: StoredFact): void {
    this.#facts.delete(fact.id);
    this.#bytes -= weightOf(fact);
  }
}

export const weightOf = (fact: StoredFact): number => valueBytesOf([fact]) + FACT_OVERHEAD_BYTES;
const FACT_OVERHEAD_BYTES = 512;
